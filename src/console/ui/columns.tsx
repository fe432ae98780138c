/**
 * A column chart, with the table of the same figures beside it. The picture is for eyes and pointers alone: what it shows and where it leads,
 * the table tells everybody.
 */
import { AsTable } from './as-table.js'
import { CsvButton } from './csv-button.js'
import { Link, linkTo } from './link.js'

interface Part { value: number, to?: string | undefined }
interface Column {
  label: string
  /** One of each series, the lowest first. */
  parts: readonly Part[]
  /** To what is behind all of it. */
  to?: string
}
interface Series { title: string, kind: string }
interface ColumnsProps { title: string, columns: readonly Column[], series: readonly [Series, ...Series[]], word: (value: number) => string, name: string }

/** Near to the pixels of a card, so that text is of its size. */
const [width, height, bottom, top] = [420, 120, 18, 16]
/** More labels than this do not fit below the columns. */
const mostLabels = 8

const sumOf = ({ parts }: Column): number => parts.reduce((sum, { value }) => sum + value, 0)

export function Columns ({ title, columns, series, word, name }: ColumnsProps) {
  const tallest = columns.reduce<Column | undefined>((most, column) => most === undefined || sumOf(column) > sumOf(most) ? column : most, undefined)
  const hasParts = series.length > 1
  if (tallest === undefined || sumOf(tallest) === 0) return <section><h2>{title}</h2><p class='quiet'>Nothing in this period.</p></section>
  return (
    <section>
      <div class='row' style='justify-content:space-between'>
        <h2>{title}</h2>
        <CsvButton name={name} head={['', ...series.map((each) => each.title)]} rows={columns.map(({ label, parts }) => [label, ...parts.map(({ value }) => value)])} />
      </div>
      <p class='sr-only'>Most at {tallest.label}, {word(sumOf(tallest))}</p>
      <Picture columns={columns} series={series} word={word} tallest={tallest} />
      {hasParts && <ul class='legend small'>{series.map(({ title, kind }) => <li key={kind} class={kind}>{title}</li>)}</ul>}
      <AsTable title={title}>
        <thead><tr><th><span class='sr-only'>When</span></th>{hasParts && <th class='number'>All</th>}{series.map((each) => <th key={each.kind} class='number'>{each.title}</th>)}</tr></thead>
        <tbody>
          {columns.map((column) => (
            <tr key={column.label}>
              <th scope='row'>{column.label}</th>
              {hasParts && <td class='number'><Figure value={sumOf(column)} to={column.to} word={word} /></td>}
              {column.parts.map((part, index) => <td key={index} class='number'><Figure {...part} word={word} /></td>)}
            </tr>
          ))}
        </tbody>
      </AsTable>
    </section>
  )
}

const Figure = ({ value, to, word }: Part & Pick<ColumnsProps, 'word'>) => to === undefined || value === 0 ? <>{word(value)}</> : <Link to={to}>{word(value)}</Link>

function Picture ({ columns, series, word, tallest }: Pick<ColumnsProps, 'columns' | 'series' | 'word'> & { tallest: Column }) {
  const most = sumOf(tallest)
  const step = width / columns.length
  const everyLabel = Math.ceil(columns.length / mostLabels)
  const at = columns.indexOf(tallest)
  const told = (column: Column): string => [
    `${column.label}: ${word(sumOf(column))}`, ...series.length > 1 ? series.map(({ title }, index) => `${title} ${word(column.parts[index]?.value ?? 0)}`) : []
  ].join(', ')
  return (
    <svg class='chart' viewBox={`0 0 ${width} ${height}`} aria-hidden='true'>
      {columns.map((column, index) => {
        let below = 0
        const place = { x: index * step + step * 0.12, width: step * 0.76 }
        const bars = column.parts.map(({ value }, part) => {
          const tall = (height - bottom - top) * value / most
          below += tall
          return <rect key={part} class={series[part]?.kind ?? ''} {...place} y={height - bottom - below} height={tall} />
        })
        const drawn = <><title>{told(column)}</title><rect class='area' x={index * step} width={step} y={top} height={height - bottom - top} />{bars}</>
        return (
          <g key={column.label}>
            {column.to === undefined ? drawn : <a tabindex={-1} {...linkTo(column.to)}>{drawn}</a>}
            {index % everyLabel === 0 && <text x={index === 0 ? 0 : index * step + step / 2} y={height - 4} text-anchor={index === 0 ? 'start' : 'middle'}>{column.label}</text>}
          </g>
        )
      })}
      <text x={(at + 0.5) * step} y={12} text-anchor={at > columns.length / 2 ? 'end' : 'start'}>{word(most)}</text>
      <line class='axis' x1={0} x2={width} y1={height - bottom} y2={height - bottom} />
    </svg>
  )
}
