/**
 * The fastest MongoDB server that can be had: MongoDB's own where it is installed, else SecantusDB in Rust, installed or built
 * here. (It is GPL-2.0 and beta: a process of its own, for tests only.)
 */
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { MongodbProgram } from '../../../src/embedded/find-mongodb.js'
import { findOnPath } from '../../../src/embedded/search-path.js'
import { cached } from './cache.js'
import { runCommand } from './run-command.js'

const crate = 'secantus-mdb'
const version = '0.5.3-beta.193'

export async function mongodbProgram (): Promise<MongodbProgram> {
  for (const kind of ['mongod', 'secantusd-rs'] as const) {
    const command = await findOnPath(kind, process.env)
    if (command !== undefined) return { kind, command, args: [] }
  }
  const folder = await cached(`secantusd-rs-${version}`, build)
  return { kind: 'secantusd-rs', command: join(folder, 'bin', 'secantusd-rs'), args: [] }
}

/** 3.5 minutes on two cores. */
async function build (folder: string): Promise<void> {
  // rustup puts cargo where a shell that is not a login shell does not look.
  const env = { ...process.env, PATH: [process.env['PATH'] ?? '', join(homedir(), '.cargo', 'bin')].join(delimiter) }
  const needed = ['cargo', 'cmake', 'ninja', 'c++']
  const found = await Promise.all(needed.map(async (name) => await findOnPath(name, env)))
  const missing = needed.filter((_, index) => found[index] === undefined)
  const [cargo] = found
  if (missing.length > 0 || cargo === undefined) {
    throw new Error(`There is no mongod and no secantusd-rs on the PATH, and secantusd-rs cannot be built without ${missing.join(', ')}: ` +
      'install MongoDB, or Rust (rustup) and cmake, ninja-build, g++ (Debian: apt-get install cmake ninja-build g++)')
  }
  const targetFolder = join(folder, 'target')
  await runCommand({
    what: `building secantusd-rs ${version} (once, a few minutes)`,
    command: cargo,
    args: ['install', crate, '--version', version, '--locked', '--ignore-rust-version', '--root', folder],
    cwd: folder,
    logPath: join(folder, 'cargo.log'),
    timeoutMs: 45 * 60_000,
    env: { ...env, CARGO_TARGET_DIR: targetFolder }
  })
  await rm(targetFolder, { recursive: true, force: true })
  if (!existsSync(join(folder, 'bin', 'secantusd-rs'))) throw new Error(`cargo has installed ${crate} ${version} without a program secantusd-rs`)
}
