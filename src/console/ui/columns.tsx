/** A column chart, with the table of the same figures behind it for those who read rather than look. */
import { CsvButton } from './csv-button.js'

interface Column { label: string, value: number }
interface ColumnsProps { title: string, columns: readonly Column[], word: (value: number) => string, name: string }

const [width, height, bottom, top] = [640, 136, 18, 16]
/** More labels than this do not fit below the columns. */
const mostLabels = 12

export function Columns ({ title, columns, word, name }: ColumnsProps) {
  const most = Math.max(...columns.map(({ value }) => value), 0)
  const step = width / Math.max(1, columns.length)
  const everyLabel = Math.ceil(columns.length / mostLabels)
  const tallest = columns.find(({ value }) => value === most)
  return (
    <section>
      <div class='row' style='justify-content:space-between'><h2>{title}</h2><CsvButton name={name} head={['', title]} rows={columns.map(({ label, value }) => [label, value])} /></div>
      {most === 0
        ? <p class='quiet'>Nothing in this period.</p>
        : (
          <svg class='chart' viewBox={`0 0 ${width} ${height}`} role='img' aria-label={`${title}: most at ${tallest?.label ?? ''}, ${word(most)}`}>
            {columns.map(({ label, value }, index) => {
              const tall = (height - bottom - top) * value / most
              return (
                <g key={label}>
                  <rect class='column' x={index * step + step * 0.12} width={step * 0.76} y={height - bottom - tall} height={tall}><title>{`${label}: ${word(value)}`}</title></rect>
                  {index % everyLabel === 0 && <text x={index === 0 ? 0 : index * step + step / 2} y={height - 4} text-anchor={index === 0 ? 'start' : 'middle'}>{label}</text>}
                </g>
              )
            })}
            <text x={(columns.indexOf(tallest as Column) + 0.5) * step} y={11} text-anchor={columns.indexOf(tallest as Column) > columns.length / 2 ? 'end' : 'start'}>{word(most)}</text>
            <line class='axis' x1={0} x2={width} y1={height - bottom} y2={height - bottom} />
          </svg>
          )}
      <details class='small'>
        <summary>As a table</summary>
        <table><tbody>{columns.map(({ label, value }) => <tr key={label}><th scope='row'>{label}</th><td class='number'>{word(value)}</td></tr>)}</tbody></table>
      </details>
    </section>
  )
}
