/**
 * SecantusDB (GPL-2.0, so run as a process of its own and never bundled) from PyPI, installed once per user and Python version
 * into a virtual environment in the cache folder. Every wheel is pinned by hash in secantusdb-requirements.txt.
 *
 * A virtual environment cannot be built aside and renamed: its scripts hold absolute paths. So it is built in place
 * under a lock, and counts only when its `.complete` file names the hash of the requirements that it was made from; that file comes last.
 * An installation that was killed half-way leaves a folder without it, which the next one starts over.
 */
import { createHash } from 'node:crypto'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fatal, unavailable } from '../errors.js'
import { tryLock } from './exclusive-lock.js'
import { findPython, pythonVersions, type Python } from './find-python.js'
import { startGuardedChild } from './guarded-child.js'
import { readJson, writeJson } from './json-file.js'
import { isExecutableFile } from './search-path.js'
import { uncompiledPath } from './uncompiled-path.js'

export const secantusdbVersion = '0.7.0b3'

/** Enough for 60 MB of wheels over a slow line. */
const installTimeoutMs = 15 * 60_000

/** Gives the path of a Python that has SecantusDB. Rejects with an AppError that names the ways out. */
export async function installSecantusdb ({ env }: { env: NodeJS.ProcessEnv }): Promise<string> {
  const cache = join(cacheFolder(env), 'merchant-catalog')
  const requirements = uncompiledPath('secantusdb-requirements.txt')
  const requirementsHash = createHash('sha256').update(await readFile(requirements)).digest('hex')
  const venvFor = (version: string): string => join(cache, `secantusdb-${secantusdbVersion}-py${version}`)

  for (const version of pythonVersions) {
    if (await isComplete(venvFor(version), requirementsHash)) return pythonOf(venvFor(version))
  }
  const python = await findPython(env)
  if (python === undefined) {
    throw fatal(`No embedded database: SecantusDB needs Python 3.10 to 3.13 with venv, and there is none on the PATH. ${waysOut}`)
  }
  await mkdir(cache, { recursive: true, mode: 0o700 })
  const venv = venvFor(python.version)
  const deadline = performance.now() + installTimeoutMs
  while (!await isComplete(venv, requirementsHash)) {
    const lock = await tryLock(cache, `secantusdb-${secantusdbVersion}-py${python.version}.lock`)
    if (lock.held) {
      try {
        if (!await isComplete(venv, requirementsHash)) await install({ python, venv, requirements, requirementsHash, env })
      } finally {
        await lock.release()
      }
    } else if (performance.now() > deadline) {
      throw unavailable(`Process ${lock.holder.pid} has been installing SecantusDB for too long. ${waysOut}`)
    } else {
      await sleep(200)
    }
  }
  return pythonOf(venv)
}

const waysOut = 'Any of these helps: install Python 3.10 to 3.13 with its venv module; put mongod or secantusd-rs on the PATH; ' +
  'set MONGODB_URL to a MongoDB server'

interface Installation {
  python: Python
  venv: string
  requirements: string
  requirementsHash: string
  env: NodeJS.ProcessEnv
}

async function install ({ python, venv, requirements, requirementsHash, env }: Installation): Promise<void> {
  process.stderr.write(`Installing SecantusDB ${secantusdbVersion} (once, about 145 MB) …\n`)
  await rm(venv, { recursive: true, force: true })
  const run = async (command: string, ...args: string[]): Promise<void> => { await runGuarded(command, args, venv, env) }
  await run(python.command, '-I', '-m', 'venv', venv)
  await run(pythonOf(venv), '-I', '-m', 'pip', 'install', '--require-hashes', '--requirement', requirements,
    '--no-input', '--disable-pip-version-check', '--progress-bar', 'off', '--quiet')
  await run(pythonOf(venv), '-I', '-m', 'secantus', '--help')
  await writeJson(completeMarker(venv), { requirementsHash })
}

/** Guarded, so that a pip whose parent was killed does not write into what the next installation builds. */
async function runGuarded (command: string, args: string[], venv: string, env: NodeJS.ProcessEnv): Promise<void> {
  const child = await startGuardedChild({ command, args, env, cwd: dirname(venv), logPath: `${venv}.log`, graceSeconds: 2 })
  const timeout = new AbortController()
  const result = await Promise.race([
    child.exited,
    sleep(installTimeoutMs, 'timeout', { signal: timeout.signal }).catch(() => 'timeout')
  ])
  timeout.abort()
  await child.stop()
  if (result !== 'exit code 0') {
    throw unavailable(`SecantusDB could not be installed (${result}). ${waysOut}.\n${await child.lastLines()}`)
  }
}

const pythonOf = (venv: string): string => join(venv, 'bin', 'python')
const completeMarker = (venv: string): string => join(venv, '.complete')

/** Also false when the Python that the environment was made from has been removed since. */
async function isComplete (venv: string, requirementsHash: string): Promise<boolean> {
  const marker = await readJson<{ requirementsHash: string }>(completeMarker(venv))
  return marker?.requirementsHash === requirementsHash && await isExecutableFile(pythonOf(venv))
}

function cacheFolder (env: NodeJS.ProcessEnv): string {
  const given = env['XDG_CACHE_HOME'] ?? ''
  // The XDG specification says to ignore relative paths.
  return isAbsolute(given) ? given : join(env['HOME'] ?? homedir(), '.cache')
}
