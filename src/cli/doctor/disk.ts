/** The file system of DATA_DIR: whether it can be written to, has room, and how long it takes until something is safe on it. */
import { mkdtemp, open, rm, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { wordBytes } from '../wording.js'
import type { Config } from '../../config.js'
import { fail, ok, warn, type Area, type Outcome } from './check.js'

const limitMs = 10_000
const writes = 15
/** An acknowledged write waits for one of these. */
const slowMs = 25
const littleBytes = 5e9
const fullBytes = 0.5e9

export function diskArea ({ dataDir, mongodbUrl, roles, sftpUrl }: Config): Area {
  const holds = [...mongodbUrl === undefined ? ['the database'] : [], ...roles.has('sftp') && sftpUrl === undefined ? ['uploads'] : []]
  return {
    checks: [
      { name: 'disk space', limitMs, gate: true, fix: `make ${dataDir} writable for this user`, run: async () => await spaceOutcome(dataDir, holds) },
      { name: 'disk fsync', limitMs, fix: `make ${dataDir} writable for this user`, run: async () => await syncOutcome(dataDir, holds) }
    ]
  }
}

async function spaceOutcome (dataDir: string, holds: readonly string[]): Promise<Outcome> {
  const { bavail, bsize, blocks } = await statfs(await existing(dataDir))
  const free = bavail * bsize
  const told = `${wordBytes(free)} of ${wordBytes(blocks * bsize)} free at ${dataDir}`
  if (holds.length === 0) return ok(`${told}, which holds nothing that lasts`)
  const room = `make room at ${dataDir}, or set DATA_DIR to another volume`
  if (free < fullBytes) return fail(`${told}, which holds ${holds.join(' and ')}`, room)
  if (free < littleBytes || bavail < blocks / 10) return warn(`${told}, which holds ${holds.join(' and ')}`, room)
  return ok(`${told} for ${holds.join(' and ')}`)
}

async function syncOutcome (dataDir: string, holds: readonly string[]): Promise<Outcome> {
  const folder = await mkdtemp(join(await existing(dataDir), '.catalog-doctor-'))
  try {
    const file = await open(join(folder, 'probe'), 'w')
    const times: number[] = []
    try {
      for (let write = 0; write < writes; write++) {
        const started = performance.now()
        await file.write(Buffer.alloc(4_096, write))
        await file.sync()
        times.push(performance.now() - started)
      }
    } finally {
      await file.close()
    }
    const median = times.sort((a, b) => a - b)[Math.floor(writes / 2)] ?? 0
    const told = `4 KB are safe after ${median.toFixed(1)} ms (median of ${writes})`
    return median > slowMs && holds.length > 0 ? warn(`${told}: every acknowledged write waits for that`, 'put DATA_DIR on an SSD of this machine') : ok(told)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The folder, or where it will be made. */
async function existing (folder: string): Promise<string> {
  try {
    await stat(folder)
    return folder
  } catch (error) {
    const parent = dirname(folder)
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === folder) throw error
    return await existing(parent)
  }
}
