/** How the vendor's conversations go. */
import { npsCounts, statistics, type ConversationChannel, type ConversationFilterInput } from '../api/operations.js'
import { may, vendor } from '../api/session.js'
import { queryOf, setQuery } from '../router.js'
import { Columns } from '../ui/columns.js'
import { CsvButton } from '../ui/csv-button.js'
import { Field, valueOf } from '../ui/field.js'
import { wordDay, wordMoney, wordNumber } from '../ui/format.js'
import { Link } from '../ui/link.js'
import { Page } from '../ui/page.js'
import { Failure, Skeleton } from '../ui/states.js'
import { useAnswer } from '../ui/use-answer.js'
import { Figures, type NpsFigures, type Statistics } from './figures.js'
import { channels } from './channels.js'
import { behind, type FiguresOf } from './behind.js'
import { BusiestHours } from './busiest-hours.js'
import { Refused } from './refused.js'
import { TopProducts } from './top-products.js'
import { isBackwards, periodOf, spansOf } from './period.js'

const npsFields = ['npsPositive', 'npsNegative'] as const
const yearMs = 366 * 24 * 60 * 60 * 1_000
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
  const of: FiguresOf = { period, channel, timezone }
  const nps = useNps(backwards ? null : of)
  const refused = new Map(errors.map(({ path = [], message }) => [String(path.at(-1)), message]))
  if (nps.refusal !== null) for (const field of npsFields) refused.set(field, nps.refusal)
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
          <p class='quiet' style='margin-bottom:16px'>{wordDay(period.start)} to {wordDay(new Date(Date.parse(period.end) - 1).toISOString())}. Amounts in USD. A number that is underlined leads to the conversations behind it, which began in this period; behind a zero there are none.</p>
          <Figures statistics={{ ...figures, ...nps.figures }} pending={new Set(nps.isLoading ? npsFields : [])} refused={refused} of={of} />
          <div class='cards' style='margin-top:32px'>
            <Chats points={figures.chatsTimeSeries} of={of} />
            <BusiestHours hours={figures.chatsByHourOfWeekHistogram ?? []} of={of} />
            <Revenue points={figures.attributedRevenueTimeSeries} refused={refused} of={of} />
            <Tags tags={data?.smartTagCounts ?? null} of={of} />
            <TopProducts products={figures.topProductsByAttributedSales} refused={refused} of={of} />
          </div>
        </div>
      )}
    </Page>
  )
}

/** How many conversations of the period were rated so: what its list counts, which would refuse the whole of it to whoever may not see ratings. */
function useNps (of: FiguresOf | null): { figures: NpsFigures, refusal: string | null, isLoading: boolean } {
  const maySee = may('VIEW_NPS')
  const filter = (npsRating: 'Positive' | 'Negative'): ConversationFilterInput[] => [{ npsRating, ...of?.channel == null ? {} : { channels: [of.channel] } }]
  const { data, error, isLoading } = useAnswer(npsCounts, of === null || !maySee
    ? null
    : { vendorId: vendor.value?.id ?? '', ...of.period, positive: filter('Positive'), negative: filter('Negative') })
  return {
    figures: { npsPositive: data?.positive.totalCount ?? null, npsNegative: data?.negative.totalCount ?? null },
    refusal: maySee ? error?.message ?? null : 'This needs the permission VIEW_NPS',
    isLoading
  }
}

function Chats ({ points, of }: { points: Statistics['chatsTimeSeries'], of: FiguresOf }) {
  if (points === null) return null
  const spans = spansOf(points.map(({ time }) => time), of.period)
  const columns = points.map(({ time, numberOfAIChats, numberOfHumanChats }, index) => {
    const bucket = { ...of, period: spans[index] ?? of.period }
    return {
      label: wordBucket(time, of),
      to: behind(bucket),
      parts: [{ value: numberOfAIChats, to: behind(bucket, { expertChatType: 'AI' }) }, { value: numberOfHumanChats, to: behind(bucket, { expertChatType: 'HasHuman' }) }]
    }
  })
  return <Columns title={`Conversations by ${points[0]?.precision ?? 'day'}`} name='conversations' word={wordNumber} columns={columns} series={[{ title: 'By AI alone', kind: 'of-ai' }, { title: 'With an expert', kind: 'of-human' }]} />
}

function Revenue ({ points, refused, of }: { points: Statistics['attributedRevenueTimeSeries'], refused: ReadonlyMap<string, string>, of: FiguresOf }) {
  if (points === null) return <Refused title='Attributed sales' message={refused.get('attributedRevenueTimeSeries')} />
  const spans = spansOf(points.map(({ time }) => time), of.period)
  const columns = points.map(({ time, totalAttributedValue }, index) => {
    const to = behind({ ...of, period: spans[index] ?? of.period }, { conversionStatus: 'Attributed' })
    return { label: wordBucket(time, of), to, parts: [{ value: totalAttributedValue, to }] }
  })
  return <Columns title={`Attributed sales by ${points[0]?.precision ?? 'day'}`} name='attributed-sales' word={(value) => wordMoney(value)} columns={columns} series={[{ title: 'Sales', kind: 'of-sales' }]} />
}

/** With the year where the period has several: a label stands for one bucket. */
const wordBucket = (time: string, { period: { start, end }, timezone }: FiguresOf): string => new Date(time).toLocaleDateString(undefined, {
  day: 'numeric', month: 'short', timeZone: timezone, ...Date.parse(end) - Date.parse(start) > yearMs ? { year: 'numeric' } : {}
})

type TagCounts = Array<{ count: number, tag: { id: string, title: string, description: string | null } }> | null

function Tags ({ tags, of: { period, timezone } }: { tags: TagCounts, of: FiguresOf }) {
  const shown = (tags ?? []).slice(0, 15)
  return (
    <section>
      <div class='row' style='justify-content:space-between'><h2>Tags</h2>{shown.length > 0 && <CsvButton name='tags' head={['tag', 'conversations']} rows={(tags ?? []).map(({ tag, count }) => [tag.title, count])} />}</div>
      {shown.length === 0 && <p class='quiet'>No conversation of this period has a tag.</p>}
      {shown.length > 0 && (
        <div class='table' role='region' aria-label='Tags' tabIndex={0}>
          <table>
            <thead><tr><th>Tag</th><th class='number'>Conversations</th></tr></thead>
            <tbody>{shown.map(({ tag, count }) => <tr key={tag.id}><td class='wrap'>{tag.title}</td><td class='number'><Link to={behind({ period, channel: null, timezone }, { tag: tag.id })}>{wordNumber(count)}<span class='sr-only'> conversations with {tag.title}</span></Link></td></tr>)}</tbody>
          </table>
        </div>
      )}
    </section>
  )
}
