/** How fast an import was, over time, in a bounded number of points. */

/** At `ms` since the job began. */
export interface SpeedPoint { ms: number, linesPerSecond: number }

/** Older ones are thinned out, so that a job of hours costs no more than one of minutes. */
const maxPoints = 240

export function addPoint (points: readonly SpeedPoint[], point: SpeedPoint): SpeedPoint[] {
  const kept = points.length < maxPoints ? points : points.filter((_, index) => index % 2 === 0)
  return [...kept, point]
}
