/**
 * A check tries one thing for real and says what came of it. Checks of an area run one after the other, areas side by side; each has a time of its
 * own, so that what hangs is told as that, and the whole is over within a minute.
 */
import { setTimeout as delay } from 'node:timers/promises'

export type Status = 'ok' | 'warn' | 'fail'

/** `fix`: the line that mends it; null where there is nothing to mend. */
export interface Outcome {
  status: Status
  detail: string
  fix: string | null
  /** There is nothing that the checks after it in the area could try. */
  ends?: true
}

export interface Finding extends Omit<Outcome, 'ends'> { name: string }

export interface Check {
  name: string
  limitMs: number
  /** Rejects like any code; that is a failure then, mended by `fix`. The signal aborts when its time is over. */
  run (signal: AbortSignal): Promise<Outcome>
  /** What mends most of what can go wrong here. */
  fix: string
  /** The checks after it would only say the same when this one fails: they are left out. */
  gate?: true
}

export interface Area {
  checks: readonly Check[]
  close? (): Promise<void>
}

export const ok = (detail: string): Outcome => ({ status: 'ok', detail, fix: null })
export const warn = (detail: string, fix: string): Outcome => ({ status: 'warn', detail, fix })
export const fail = (detail: string, fix: string): Outcome => ({ status: 'fail', detail, fix })

const closeLimitMs = 5_000

/** Never rejects. */
export async function examine ({ checks, close }: Area): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const check of checks) {
    const { ends = false, ...outcome } = await outcomeOf(check)
    findings.push({ name: check.name, ...outcome })
    if (ends || (check.gate === true && outcome.status === 'fail')) break
  }
  // What hung in a check may hang here; nobody waits for it.
  if (close !== undefined) await Promise.race([close().catch(() => {}), delay(closeLimitMs, undefined, { ref: false })])
  return findings
}

async function outcomeOf ({ run, fix, limitMs }: Check): Promise<Outcome> {
  const over = new AbortController()
  const timer = setTimeout(() => { over.abort() }, limitMs)
  const timeout = new Promise<Outcome>((resolve) => {
    over.signal.addEventListener('abort', () => { resolve(fail(`no answer within ${limitMs / 1_000} s`, fix)) })
  })
  try {
    return await Promise.race([run(over.signal), timeout])
  } catch (error) {
    return fail(messageOf(error), fix)
  } finally {
    clearTimeout(timer)
  }
}

/** One line. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).replaceAll(/\s*\n\s*/g, ' ').trim().slice(0, 400)
