/** Signs of notes that are raised beside the text that they belong to. */
import type { Glyph } from './page-geometry.js'

/** Smaller text beside larger, that is raised or lowered by more: parts of the font's size. */
export const raised = { size: 0.87, by: 0.12 }
/** In parts of the larger font's size, how far a sign stands off the text that it is raised beside, and how long it is. */
const [besideText, farthestRaised, longestSign] = [0.25, 0.6, 3]

interface Host { run: Glyph[], right: number, baseline: number, size: number }

/** Those that end at one place, by their baselines. */
interface Hosts { all: Host[], largest: number }

/**
 * Signs of notes, each with the text that it stands right behind: other text may be on the line that they are raised to. `runs` come by their
 * baselines. A page may have thousands that end at one place: looked at are those whose line a sign can be raised from.
 */
export function raisedSigns (runs: readonly Glyph[][]): Map<Glyph[], Glyph[]> {
  const ends = new Map<number, Hosts>()
  for (const run of runs) {
    const host = { run, right: Math.max(...run.map(({ right }) => right)), baseline: baselineOf(run), size: sizeOf(run) }
    const hosts = ends.get(Math.round(host.right))
    if (hosts === undefined) ends.set(Math.round(host.right), { all: [host], largest: host.size })
    else {
      hosts.all.push(host)
      hosts.largest = Math.max(hosts.largest, host.size)
    }
  }
  const signs = new Map<Glyph[], Glyph[]>()
  for (const run of runs) {
    const [left, baseline, size] = [run[0]?.left ?? 0, baselineOf(run), sizeOf(run)]
    if (run.length > longestSign || run.some(({ text }) => /^[\s/⁄]$/.test(text))) continue
    const isHost = (host: Host): boolean => {
      const [by, gap] = [host.baseline - baseline, left - host.right]
      return size <= raised.size * host.size && by > raised.by * size && by < farthestRaised * host.size && gap > -0.1 * host.size && gap < besideText * host.size
    }
    for (const off of [-3, -2, -1, 0, 1]) {
      const hosts = ends.get(Math.round(left) + off)
      const host = hosts === undefined ? undefined : findWithin(hosts.all, baseline, baseline + farthestRaised * hosts.largest, isHost)
      if (host === undefined) continue
      signs.set(run, host.run)
      break
    }
  }
  return signs
}

/** The first that fits, of those whose baselines are from `top` to `bottom`. */
function findWithin (hosts: readonly Host[], top: number, bottom: number, fits: (host: Host) => boolean): Host | undefined {
  let [from, to] = [0, hosts.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((hosts[middle]?.baseline ?? Infinity) < top) from = middle + 1
    else to = middle
  }
  for (let index = from; index < hosts.length; index++) {
    const host = hosts[index]
    if (host === undefined || host.baseline > bottom) return undefined
    if (fits(host)) return host
  }
  return undefined
}

export const baselineOf = (run: readonly Glyph[]): number => run[0]?.baseline ?? 0
export const sizeOf = (run: readonly Glyph[]): number => run[0]?.size ?? 0
