/** How far one attempt of an import was over its time, in so few samples that they are kept with the job. */

export interface SpeedSample {
  /** Since the attempt began. */
  ms: number
  linesRead: number
}

export interface SpeedSamples {
  /** Of what is taken at regular distances, whatever these are. */
  take (sample: SpeedSample): void
  /** The last one was taken a moment ago: where the attempt ended stands in its place. Of one that ended before any there is none. */
  end (sample: SpeedSample): void
  /** The oldest first, and the newest always among them. */
  all (): SpeedSample[]
}

const most = 60

export function createSpeedSamples (): SpeedSamples {
  /** Every `distance`-th that was taken. */
  let kept: SpeedSample[] = []
  let distance = 1
  let taken = 0
  let newest: SpeedSample | null = null

  return {
    take (sample) {
      newest = sample
      if (taken++ % distance === 0) kept.push(sample)
      if (kept.length < most) return
      kept = kept.filter((_, index) => index % 2 === 0)
      distance *= 2
    },
    end (sample) {
      if (newest === null) return
      if (kept.at(-1) === newest) kept.pop()
      newest = sample
    },
    all: () => newest === null || kept.at(-1) === newest ? [...kept] : [...kept, newest]
  }
}
