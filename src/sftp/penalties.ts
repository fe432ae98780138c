/**
 * Addresses that keep failing to log in are refused for a while, as OpenSSH's PerSourcePenalties do and with its numbers: each
 * connection that ends without a login adds to the address's penalty, which runs off with time; once it is 15 s or more,
 * connections are refused until it has run off, for 10 minutes at most.
 */
import { createNetworks, sourceOf } from '../networks.js'

/** How a connection that never logged in has ended. */
export type Offence =
  /** After refused credentials. */
  | 'wrong-credentials'
  /** Without having sent any. */
  | 'no-credentials'
  /** Because its time was up. */
  | 'too-slow'

export interface Penalties {
  isRefused (address: string): boolean
  /** true: from now on the address is refused. */
  add (address: string, offence: Offence): boolean
}

const penaltyMs: Record<Offence, number> = { 'wrong-credentials': 5_000, 'no-credentials': 1_000, 'too-slow': 10_000 }
const enforcedFromMs = 15_000
const maxMs = 10 * 60_000
/** The longest unpunished go first: who has more addresses than that is not to be held off by this. */
const maxSources = 10_000

interface Source { endsAt: number, isRefused: boolean }

/** `exempt`: addresses and networks that are never refused, such as that of the worker, or of a proxy that hides its clients. */
export function createPenalties ({ exempt, monotonicMs = () => performance.now() }: { exempt: readonly string[], monotonicMs?: () => number }): Penalties {
  const isExempt = createNetworks(exempt)
  const sources = new Map<string, Source>()

  return {
    isRefused (address) {
      const key = sourceOf(address)
      const source = sources.get(key)
      if (source === undefined) return false
      if (source.endsAt > monotonicMs()) return source.isRefused
      sources.delete(key)
      return false
    },
    add (address, offence) {
      if (isExempt(address)) return false
      const key = sourceOf(address)
      const now = monotonicMs()
      const before = sources.get(key)
      const left = Math.max(0, (before?.endsAt ?? now) - now)
      const total = Math.min(left + penaltyMs[offence], maxMs)
      const isRefused = total >= enforcedFromMs || (left > 0 && before?.isRefused === true)
      sources.delete(key)
      for (const oldest of sources.keys()) {
        if (sources.size < maxSources) break
        sources.delete(oldest)
      }
      sources.set(key, { endsAt: now + total, isRefused })
      return isRefused && before?.isRefused !== true
    }
  }
}
