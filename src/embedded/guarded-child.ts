/**
 * A child process that never outlives this one, not even when this one is killed with -9 and can clean up nothing.
 *
 * The child starts as a shell that leaves a watcher behind and then becomes the program (exec), so pid and exit code
 * are the program's own. The watcher reads from a pipe (fd 3) whose other end only this process holds. The pipe closing,
 * through stop() or through this process's death, is the one way to end the child:
 *
 *   running ──pipe closes──▶ SIGTERM ──gone, or graceSeconds later──▶ SIGKILL
 *
 * The child leads its own process group, so Ctrl-C in a terminal reaches this process only, which drains before it stops the
 * child. As long as the watcher is in that group, the kernel does not give the child's pid to another process,
 * so the watcher's signals cannot hit a stranger.
 */
import { spawn } from 'node:child_process'
import { open, rename, stat } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { findOnPath } from './search-path.js'

const guard = `
grace=$1; shift
(
  PATH=$PATH:/usr/bin:/bin
  trap '' HUP INT TERM
  read -r line <&3
  kill -TERM $$
  while kill -0 $$ && [ "$grace" -gt 0 ]; do sleep 1; grace=$((grace - 1)); done
  kill -KILL $$
) </dev/null >/dev/null 2>&1 &
exec "$@" 3<&-
`

/**
 * Node can make a child lead a group only together with a session, and to Linux each session is a scheduling group of its own
 * (sched_autogroup): priorities count for nothing across them, so the threads that this process has put last would compete with the child
 * as if they had not been, and twice as long an answer of the API comes of it (docs/performance.md, "Size charts"). Perl can do
 * one without the other, and is where most systems are; without it, a session it is.
 */
async function inOwnGroup (env: NodeJS.ProcessEnv, args: readonly string[]): Promise<{ command: string, args: string[], detached: boolean }> {
  const perl = await findOnPath('perl', env)
  return perl === undefined
    ? { command: '/bin/sh', args: [...args], detached: true }
    : { command: perl, args: ['-e', 'setpgrp; exec @ARGV', '/bin/sh', ...args], detached: false }
}

export interface GuardedChildOptions {
  command: string
  args: readonly string[]
  env: NodeJS.ProcessEnv
  cwd: string
  /** Takes what the child prints; appended to. */
  logPath: string
  /** How long the child may take between SIGTERM and SIGKILL. */
  graceSeconds: number
}

export interface GuardedChild {
  pid: number
  hasExited (): boolean
  /** Resolves with "exit code 1" or "signal SIGKILL" when the child has ended; never rejects. */
  exited: Promise<string>
  /** The last lines that the child has printed. */
  lastLines (): Promise<string>
  /** Ends the child and waits until it is gone. */
  stop (): Promise<void>
}

/** Rejects when the log cannot be written or there is no `cwd`. A program that cannot be run ends with exit code 126 or 127. */
export async function startGuardedChild (options: GuardedChildOptions): Promise<GuardedChild> {
  const { logPath, graceSeconds } = options
  await keepLogSmall(logPath)
  const log = await open(logPath, 'a', 0o600)
  const logStart = (await log.stat()).size
  const { command, args, detached } = await inOwnGroup(options.env, ['-c', guard, 'sh', String(graceSeconds), options.command, ...options.args])
  const child = spawn(command, args, { cwd: options.cwd, env: options.env, detached, stdio: ['ignore', log.fd, log.fd, 'pipe'] })
  const lifeline = child.stdio[3] as Writable
  // Nothing is ever written, so the pipe can only fail by closing, which `exited` tells.
  lifeline.on('error', () => {})
  let hasExited = false
  const exited = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => {
      hasExited = true
      lifeline.destroy()
      resolve(signal === null ? `exit code ${code}` : `signal ${signal}`)
    })
  })
  try {
    await new Promise<void>((resolve, reject) => { child.once('spawn', resolve).once('error', reject) })
  } finally {
    await log.close()
  }
  const pid = child.pid as number

  return {
    pid,
    exited,
    hasExited: () => hasExited,
    lastLines: async () => await readTail(logPath, logStart).catch((error: unknown) => `(the log cannot be read: ${String(error)})`),
    stop: async () => {
      lifeline.destroy()
      // The watcher is what kills; this is for the case that somebody has killed the watcher.
      const giveUp = new AbortController()
      const overdue = sleep((graceSeconds + 3) * 1_000, undefined, { signal: giveUp.signal, ref: false })
        .then(() => { if (!hasExited) process.kill(pid, 'SIGKILL') }, () => { /* the child has ended in time */ })
      await exited
      giveUp.abort()
      await overdue
    }
  }
}

const maxLogBytes = 5 * 1024 * 1024

/** One older log is kept beside the current one. */
async function keepLogSmall (logPath: string): Promise<void> {
  try {
    if ((await stat(logPath)).size > maxLogBytes) await rename(logPath, `${logPath}.1`)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

async function readTail (path: string, from: number): Promise<string> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const start = Math.max(from, size - 4_096)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4_096), 0, 4_096, start)
    return buffer.toString('utf8', 0, bytesRead).trim().split('\n').slice(-8).join('\n')
  } finally {
    await file.close()
  }
}
