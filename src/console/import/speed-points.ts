/** How fast an import was, over time, from how far it was at some moments. */

/** At `ms` since the attempt began, since the point before. */
export interface SpeedPoint { ms: number, linesPerSecond: number }

/** `samples`: the oldest first; an attempt begins with nothing read. */
export const pointsOf = (samples: ReadonlyArray<{ ms: number, linesRead: number }>): SpeedPoint[] => samples.map(({ ms, linesRead }, index) => {
  const before = samples[index - 1] ?? { ms: 0, linesRead: 0 }
  return { ms, linesPerSecond: 1_000 * Math.max(0, linesRead - before.linesRead) / Math.max(1, ms - before.ms) }
})
