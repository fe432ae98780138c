/**
 * Which process is meant by a pid that was written to a file. A pid alone is not enough: after kill -9 or a reboot it
 * may belong to a stranger. So it is kept together with the process's start time, which no two holders of a pid share.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

export interface ProcessIdentity {
  pid: number
  /** Opaque; compared only for equality. */
  startToken: string
}

export function identityOf (pid: number): ProcessIdentity | undefined {
  const startToken = process.platform === 'linux' ? startTokenFromProc(pid) : startTokenFromPs(pid)
  return startToken === undefined ? undefined : { pid, startToken }
}

export function ownIdentity (): ProcessIdentity {
  const identity = identityOf(process.pid)
  if (identity === undefined) throw new Error('This process cannot find its own start time')
  return identity
}

export const isRunning = (identity: ProcessIdentity): boolean =>
  identityOf(identity.pid)?.startToken === identity.startToken

/** Ticks since boot, with the boot's id. A zombie counts as gone: it holds no lock, no port and no file. */
function startTokenFromProc (pid: number): string | undefined {
  const stat = readIfThere(`/proc/${pid}/stat`)
  if (stat === undefined) return undefined
  // "pid (name) state … starttime(22nd)": the name may hold spaces and parentheses, so count from its last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (fields[0] === 'Z' || fields[0] === 'X') return undefined
  return `${readIfThere('/proc/sys/kernel/random/boot_id')?.trim() ?? ''}:${fields[19] ?? ''}`
}

/** Where there is no /proc (macOS): the start time by the wall clock, to the second. */
export function startTokenFromPs (pid: number): string | undefined {
  try {
    const started = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
      encoding: 'utf8', env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' }, stdio: ['ignore', 'pipe', 'ignore']
    }).trim()
    return started === '' ? undefined : started
  } catch (error) {
    // ps ends with 1 when there is no such process.
    if ((error as { status?: number }).status === 1) return undefined
    throw error
  }
}

function readIfThere (path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT' || code === 'ESRCH') return undefined
    throw error
  }
}
