import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { findOnPath } from './search-path.js'

export interface Python {
  command: string
  /** Such as `3.12`. */
  version: string
}

/** The versions that SecantusDB has wheels for, best first. */
export const pythonVersions: readonly string[] = ['3.13', '3.12', '3.11', '3.10']

/**
 * Asks each candidate itself: version managers put a `python3.13` on the PATH that only prints how to install one,
 * `python3` may be any version, and Debian's comes without ensurepip.
 */
const question = `
import sys, venv, ensurepip
if sys.implementation.name == 'cpython': print('%d.%d' % sys.version_info[:2])
`

export async function findPython (env: NodeJS.ProcessEnv): Promise<Python | undefined> {
  for (const name of [...pythonVersions.map((version) => `python${version}`), 'python3']) {
    const command = await findOnPath(name, env)
    if (command === undefined) continue
    const version = await ask(command, env)
    if (version !== undefined && pythonVersions.includes(version)) return { command, version }
  }
  return undefined
}

async function ask (command: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(command, ['-I', '-c', question], { env, timeout: 15_000 })
    return stdout.trim()
  } catch {
    return undefined // cannot be run, or lacks a module: not one that we can use
  }
}
