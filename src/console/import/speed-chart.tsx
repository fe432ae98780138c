/** Lines per second over the time of an import. */
import { wordNumber } from '../ui/format.js'
import type { SpeedPoint } from './speed-points.js'

const [width, height, left, bottom] = [640, 120, 48, 18]
export function SpeedChart ({ points }: { points: readonly SpeedPoint[] }) {
  const [first, last] = [points[0], points.at(-1)]
  if (first === undefined || last === undefined || points.length < 2) return null
  const most = Math.max(...points.map(({ linesPerSecond }) => linesPerSecond), 1)
  const x = (ms: number): number => left + (width - left) * (ms - first.ms) / Math.max(1, last.ms - first.ms)
  const y = (value: number): number => (height - bottom) * (1 - value / most) + 4
  const seconds = (ms: number): string => `${wordNumber(Math.round(ms / 1_000))} s`
  return (
    <figure>
      <svg class='chart' viewBox={`0 0 ${width} ${height}`} role='img' aria-label={`Lines per second, at most ${wordNumber(Math.round(most))}, last ${wordNumber(Math.round(last.linesPerSecond))}`}>
        <line class='axis' x1={left} x2={width} y1={height - bottom + 4} y2={height - bottom + 4} />
        <text x={left - 6} y={14} text-anchor='end'>{wordNumber(Math.round(most))}</text>
        <text x={left - 6} y={height - bottom + 4} text-anchor='end'>0</text>
        <text x={left} y={height - 1}>{seconds(first.ms)}</text>
        <text x={width} y={height - 1} text-anchor='end'>{seconds(last.ms)}</text>
        <polyline class='series' points={points.map(({ ms, linesPerSecond }) => `${x(ms).toFixed(1)},${y(linesPerSecond).toFixed(1)}`).join(' ')} />
      </svg>
    </figure>
  )
}
