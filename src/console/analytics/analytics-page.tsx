/** How the vendor's conversations go. */
import { statistics, type ConversationChannel } from '../api/operations.js'
import { vendor } from '../api/session.js'
import { queryOf, setQuery } from '../router.js'
import { Columns } from '../ui/columns.js'
import { CsvButton } from '../ui/csv-button.js'
import { Field, valueOf } from '../ui/field.js'
import { wordDay, wordMoney, wordNumber } from '../ui/format.js'
import { Link } from '../ui/link.js'
import { Page } from '../ui/page.js'
import { Failure, Skeleton } from '../ui/states.js'
import { useAnswer } from '../ui/use-answer.js'
import { Figures, type Statistics } from './figures.js'
import { isBackwards, periodOf } from './period.js'

export const channels: ConversationChannel[] = ['ServiceChat', 'HelpdeskOneTicket', 'HelpdeskTwoTicket', 'HelpdeskThreeConversation']
const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone
const zones = [...new Set(['UTC', ownZone, ...Intl.supportedValuesOf('timeZone')])]

export function AnalyticsPage () {
  const days = Number(queryOf('days')) || 30
  const period = periodOf({ from: queryOf('from'), to: queryOf('to'), days })
  const timezone = queryOf('zone') || ownZone
  const channel = (queryOf('channel') || null) as ConversationChannel | null
  const backwards = isBackwards(period)
  const { data, error, errors, isLoading, reload } = useAnswer(statistics, backwards ? null : { vendorId: vendor.value?.id ?? '', ...period, channel, timezone })
  const figures = data?.vendorById?.conversationAggregateStatistics
  const refused = new Map(errors.map(({ path = [], message }) => [String(path.at(-1)), message]))
  return (
    <Page title='Analytics' actions={<Link to='/conversations' class='button'>Conversations</Link>}>
      <div class='filters'>
        <Field label='Period'>
          <select value={queryOf('from') === '' && queryOf('to') === '' ? String(days) : ''} onChange={(event) => { setQuery({ days: valueOf(event), from: null, to: null }) }}>
            <option value='7'>Last 7 days</option><option value='30'>Last 30 days</option><option value='90'>Last 90 days</option><option value='365'>Last 365 days</option>
            {(queryOf('from') !== '' || queryOf('to') !== '') && <option value=''>As given</option>}
          </select>
        </Field>
        <Field label='From'><input type='date' value={queryOf('from')} onChange={(event) => { setQuery({ from: valueOf(event) }) }} /></Field>
        <Field label='To' error={backwards ? 'It ends before it begins' : null}><input type='date' value={queryOf('to')} onChange={(event) => { setQuery({ to: valueOf(event) }) }} /></Field>
        <Field label='Channel'>
          <select value={channel ?? ''} onChange={(event) => { setQuery({ channel: valueOf(event) }) }}>
            <option value=''>All</option>{channels.map((each) => <option key={each} value={each}>{each}</option>)}
          </select>
        </Field>
        <Field label='Time zone of buckets'>
          <select value={timezone} onChange={(event) => { setQuery({ zone: valueOf(event) }) }}>{zones.map((zone) => <option key={zone} value={zone}>{zone}</option>)}</select>
        </Field>
      </div>
      {error !== null && <Failure error={error} retry={reload} />}
      {error === null && data === null && !backwards && <Skeleton rows={10} />}
      {figures !== undefined && figures !== null && (
        <div aria-busy={isLoading}>
          <p class='quiet' style='margin-bottom:16px'>{wordDay(period.start)} to {wordDay(new Date(Date.parse(period.end) - 1).toISOString())}. Amounts in USD. A number that is underlined leads to conversations of its kind, of all time.</p>
          <Figures statistics={figures} refused={refused} />
          <div class='cards' style='margin-top:32px'>
            <Revenue points={figures.attributedRevenueTimeSeries} refused={refused} timezone={timezone} />
            <Columns title='Conversations by hour' name='conversations-by-hour' word={wordNumber} columns={(figures.chatsByHourHistogram ?? []).map(({ hour, count }) => ({ label: String(hour), value: count }))} />
            <Columns title='Conversations by weekday' name='conversations-by-weekday' word={wordNumber} columns={(figures.chatsByDayOfWeekHistogram ?? []).map(({ day, chatCount }) => ({ label: day, value: chatCount }))} />
            <Tags tags={data?.smartTagCounts ?? null} />
            <TopProducts products={figures.topProductsByAttributedSales} refused={refused} />
          </div>
        </div>
      )}
    </Page>
  )
}

const Refused = ({ title, message }: { title: string, message: string | undefined }) => <section><h2>{title}</h2><p class='quiet'>{message}</p></section>

function Revenue ({ points, refused, timezone }: { points: Statistics['attributedRevenueTimeSeries'], refused: ReadonlyMap<string, string>, timezone: string }) {
  if (points === null) return <Refused title='Attributed sales' message={refused.get('attributedRevenueTimeSeries')} />
  const short = new Intl.DateTimeFormat(navigator.language, { day: 'numeric', month: 'short', timeZone: timezone })
  return <Columns title={`Attributed sales by ${points[0]?.precision ?? 'day'}`} name='attributed-sales' word={(value) => wordMoney(value)} columns={points.map(({ time, totalAttributedValue }) => ({ label: short.format(new Date(time)), value: totalAttributedValue }))} />
}

type TagCounts = Array<{ count: number, tag: { id: string, title: string, description: string | null } }> | null

function Tags ({ tags }: { tags: TagCounts }) {
  const shown = (tags ?? []).slice(0, 15)
  return (
    <section>
      <div class='row' style='justify-content:space-between'><h2>Tags</h2>{shown.length > 0 && <CsvButton name='tags' head={['tag', 'conversations']} rows={(tags ?? []).map(({ tag, count }) => [tag.title, count])} />}</div>
      {shown.length === 0 && <p class='quiet'>No conversation of this period has a tag.</p>}
      {shown.length > 0 && (
        <div class='table' role='region' aria-label='Tags' tabIndex={0}>
          <table>
            <thead><tr><th>Tag</th><th class='number'>Conversations</th></tr></thead>
            <tbody>{shown.map(({ tag, count }) => <tr key={tag.id}><td class='wrap'><Link to={`/conversations?tag=${encodeURIComponent(tag.id)}`}>{tag.title}</Link></td><td class='number'>{wordNumber(count)}</td></tr>)}</tbody>
          </table>
        </div>
      )}
    </section>
  )
}

function TopProducts ({ products, refused }: { products: Statistics['topProductsByAttributedSales'], refused: ReadonlyMap<string, string> }) {
  if (products === null) return <Refused title='Top products' message={refused.get('topProductsByAttributedSales')} />
  return (
    <section>
      <div class='row' style='justify-content:space-between'>
        <h2>Top products</h2>
        {products.length > 0 && <CsvButton name='top-products' head={['product', 'recommended', 'sold', 'sales USD']} rows={products.map(({ product, numberOfRecommendations, numberSold, totalSales }) => [product.name ?? product.id, numberOfRecommendations, numberSold, totalSales])} />}
      </div>
      {products.length === 0 && <p class='quiet'>No sale of this period is attributed to chat.</p>}
      {products.length > 0 && (
        <div class='table' role='region' aria-label='Top products' tabIndex={0}>
          <table>
            <thead><tr><th>Product</th><th class='number'>Recommended</th><th class='number'>Sold</th><th class='number'>Sales</th></tr></thead>
            <tbody>
              {products.map(({ product, numberOfRecommendations, numberSold, totalSales }) => (
                <tr key={product.id}><td class='wrap'>{product.name ?? product.id}</td><td class='number'>{wordNumber(numberOfRecommendations)}</td><td class='number'>{wordNumber(numberSold)}</td><td class='number nowrap'>{wordMoney(totalSales)}</td></tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}
