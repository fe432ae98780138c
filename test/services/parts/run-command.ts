/** Runs what fetches or builds a part. It ends with this process, and says from time to time that it is still at it. */
import { startGuardedChild } from '../../../src/embedded/guarded-child.js'
import { say } from './say.js'

export interface Command {
  /** What it does, for progress lines: "building secantusd-rs". */
  what: string
  command: string
  args: readonly string[]
  cwd: string
  logPath: string
  timeoutMs: number
  env?: NodeJS.ProcessEnv
}

const tellEveryMs = 30_000

/** Rejects with the end of what was printed when the exit code is not 0. */
export async function runCommand ({ what, command, args, cwd, logPath, timeoutMs, env = process.env }: Command): Promise<void> {
  const started = performance.now()
  const seconds = (): string => `${Math.round((performance.now() - started) / 1_000)} s`
  say(`${what} …`)
  const child = await startGuardedChild({ command, args, env, cwd, logPath, graceSeconds: 5 })
  const telling = setInterval(() => { say(`still ${what} (${seconds()})`) }, tellEveryMs)
  let timedOut = false
  const timeout = setTimeout(() => {
    timedOut = true
    void child.stop()
  }, timeoutMs)
  const exit = await child.exited
  clearInterval(telling)
  clearTimeout(timeout)
  if (timedOut || exit !== 'exit code 0') {
    throw new Error(`${what} failed after ${seconds()} (${timedOut ? 'it took too long' : exit}):\n${await child.lastLines()}`)
  }
  say(`${what}: done in ${seconds()}`)
}
