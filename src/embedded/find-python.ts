import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { findOnPath, foldersOf } from './search-path.js'

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

/**
 * First the operating system's own: distributions compile it with profile-guided optimization, version managers do so only when they
 * are told to, and SecantusDB takes a tenth longer on a Python without. Only by a version's name: macOS has a `python3` there that asks
 * for developer tools to be installed.
 */
export async function findPython (env: NodeJS.ProcessEnv, systemFolder = '/usr/bin'): Promise<Python | undefined> {
  const versioned = pythonVersions.map((version) => `python${version}`)
  const candidates = [
    ...foldersOf(env).includes(systemFolder) ? versioned.map((name) => ({ name, path: systemFolder })) : [],
    ...[...versioned, 'python3'].map((name) => ({ name, path: env['PATH'] }))
  ]
  for (const { name, path } of candidates) {
    const command = await findOnPath(name, { PATH: path })
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
