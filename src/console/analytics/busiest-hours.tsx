/** When conversations begin: a square for each hour of the week, darker where there are more on average, with a table beside it. */
import { AsTable } from '../ui/as-table.js'
import { CsvButton } from '../ui/csv-button.js'
import { wordDecimal, wordHour, wordNumber, wordWeekday } from '../ui/format.js'
import { Link, linkTo } from '../ui/link.js'
import { behindHour, type FiguresOf } from './behind.js'
import type { Statistics } from './figures.js'

type Hour = NonNullable<Statistics['chatsByHourOfWeekHistogram']>[number]

const [left, top, step] = [36, 2, 16]
const [width, height] = [left + 24 * step, top + 7 * step + 16]
const shades = 6
const everyHourLabel = 3

/** Per such day, however many of them the period has. */
const average = ({ chatCount, dayCount }: Hour): number => dayCount === 0 ? 0 : chatCount / dayCount

export function BusiestHours ({ hours, of }: { hours: readonly Hour[], of: FiguresOf }) {
  const title = 'Busiest hours'
  const most = hours.reduce<Hour | undefined>((found, hour) => found === undefined || average(hour) > average(found) ? hour : found, undefined)
  if (most === undefined || most.chatCount === 0) return <section><h2>{title}</h2><p class='quiet'>Nothing in this period.</p></section>
  const told = (hour: Hour): string =>
    `${wordWeekday(hour.dayIndex, 'long')}, ${wordHour(hour.hour)}: ${wordNumber(hour.chatCount)}, ${wordDecimal(average(hour))} on average`
  return (
    <section>
      <div class='row' style='justify-content:space-between'>
        <h2>{title}</h2>
        <CsvButton name='busiest-hours' head={['day', 'hour', 'conversations', 'days in the period']} rows={hours.map(({ dayIndex, hour, chatCount, dayCount }) => [wordWeekday(dayIndex, 'long'), hour, chatCount, dayCount])} />
      </div>
      <p class='small quiet'>Most on <Link to={behindHour(of, most)}>{told(most)}</Link>.</p>
      <svg class='chart heat' viewBox={`0 0 ${width} ${height}`} aria-hidden='true'>
        {hours.map((hour) => {
          const { dayIndex, chatCount } = hour
          const square = (
            <rect class={`shade-${Math.ceil(shades * average(hour) / average(most))}`} x={left + hour.hour * step + 1} y={top + dayIndex * step + 1} width={step - 2} height={step - 2} rx={2}>
              <title>{told(hour)}</title>
            </rect>
          )
          const key = `${dayIndex} ${hour.hour}`
          return chatCount === 0 ? <g key={key}>{square}</g> : <a key={key} tabindex={-1} {...linkTo(behindHour(of, hour))}>{square}</a>
        })}
        {Array.from({ length: 7 }, (_, day) => <text key={day} x={0} y={top + day * step + 12}>{wordWeekday(day, 'short')}</text>)}
        {Array.from({ length: 24 / everyHourLabel }, (_, index) => <text key={index} x={left + index * everyHourLabel * step + 1} y={height - 4}>{wordHour(index * everyHourLabel)}</text>)}
      </svg>
      <AsTable title={title}>
        <thead><tr><th><span class='sr-only'>Hour</span></th>{Array.from({ length: 7 }, (_, day) => <th key={day} class='number'><abbr title={wordWeekday(day, 'long')}>{wordWeekday(day, 'short')}</abbr></th>)}</tr></thead>
        <tbody>
          {Array.from({ length: 24 }, (_, hour) => (
            <tr key={hour}>
              <th scope='row'>{wordHour(hour)}</th>
              {hours.filter((each) => each.hour === hour).map((each) => (
                <td key={each.dayIndex} class='number'>{each.chatCount === 0 ? 0 : <Link to={behindHour(of, each)}>{wordNumber(each.chatCount)}</Link>}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </AsTable>
    </section>
  )
}
