/** Lines per second over the time of an import. What is written stands around the picture, which is as wide as there is room: text in it would grow and shrink along. */
import { wordNumber } from '../ui/format.js'
import type { SpeedPoint } from './speed-points.js'

const [width, height] = [640, 96]

export function SpeedChart ({ points }: { points: readonly SpeedPoint[] }) {
  const [first, last] = [points[0], points.at(-1)]
  if (first === undefined || last === undefined || points.length < 2) return null
  const most = Math.max(...points.map(({ linesPerSecond }) => linesPerSecond), 1)
  const x = (ms: number): number => width * (ms - first.ms) / Math.max(1, last.ms - first.ms)
  const y = (value: number): number => height * (1 - value / most)
  const seconds = (ms: number): string => `${wordNumber(Math.round(ms / 1_000))} s`
  return (
    <figure>
      <div class='speed small quiet' role='img' aria-label={`Lines per second, at most ${wordNumber(Math.round(most))}, last ${wordNumber(Math.round(last.linesPerSecond))}`}>
        <span>{`At most ${wordNumber(Math.round(most))}`}</span>
        <svg class='chart' viewBox={`0 0 ${width} ${height}`} preserveAspectRatio='none'>
          <polyline class='series' vector-effect='non-scaling-stroke' points={points.map(({ ms, linesPerSecond }) => `${x(ms).toFixed(1)},${y(linesPerSecond).toFixed(1)}`).join(' ')} />
        </svg>
        <span>{seconds(first.ms)}</span><span>{seconds(last.ms)}</span>
      </div>
    </figure>
  )
}
