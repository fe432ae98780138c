/** The vendor's conversations, filtered. */
import { conversationCount, conversations, type ConversationFilterInput, type ConversationsQuery, type Permission } from '../api/operations.js'
import { may, vendor } from '../api/session.js'
import { channels } from '../analytics/channels.js'
import { dayOf, spanOf } from '../analytics/period.js'
import { queryOf, setQuery } from '../router.js'
import { CsvButton } from '../ui/csv-button.js'
import { Field, valueOf } from '../ui/field.js'
import { wordFullTime, wordHour, wordWeekday } from '../ui/format.js'
import { Link } from '../ui/link.js'
import { Page } from '../ui/page.js'
import { Pager } from '../ui/pager.js'
import { Empty, Failure, Skeleton } from '../ui/states.js'
import { useAnswer } from '../ui/use-answer.js'

type Row = ConversationsQuery['conversations']['edges'][number]['node']

/** `needs`: who may not see it is not asked about it. */
const choices: ReadonlyArray<readonly [key: string, title: string, options: ReadonlyArray<readonly [value: string, word: string]>, needs?: Permission]> = [
  ['expertChatType', 'Handled by', [['AI', 'AI alone'], ['HasHuman', 'With an expert']]],
  ['sentiment', 'Sentiment', [['POSITIVE', 'Positive'], ['NEUTRAL', 'Neutral'], ['NEGATIVE', 'Negative']]],
  ['conversionStatus', 'Order', [['Attributed', 'Attributed to chat'], ['Converted', 'Any'], ['None', 'None']], 'VIEW_CONVERSIONS'],
  ['npsRating', 'NPS', [['Positive', 'Positive'], ['Negative', 'Negative']], 'VIEW_NPS']
]

export function ConversationsPage () {
  // What an address asks for is asked for: the API says what it takes.
  const offered = choices.filter(([key,, , needs]) => needs === undefined || may(needs) || queryOf(key) !== '')
  const chosen = Object.fromEntries(['email', ...choices.map(([key]) => key)].map((key): [string, string] => [key, queryOf(key)]).filter(([, value]) => value !== ''))
  const filter: ConversationFilterInput = {
    ...chosen,
    ...queryOf('tag') === '' ? {} : { smartTagIds: [queryOf('tag')] },
    ...queryOf('product') === '' ? {} : { soldProductExternalId: queryOf('product') },
    ...queryOf('recommended') === '' ? {} : { recommendedProductExternalId: queryOf('recommended') },
    ...queryOf('channel') === '' ? {} : { channels: [queryOf('channel') as typeof channels[number]] }
  }
  const hour = queryOf('hour') === '' ? null : { dayIndex: Number(queryOf('day')), hour: Number(queryOf('hour')), timezone: queryOf('zone') }
  const among = { vendorId: vendor.value?.id ?? '', start: queryOf('start') || null, end: queryOf('end') || null, hour, filter: Object.keys(filter).length === 0 ? null : [filter] }
  const isAll = among.start === null && among.end === null && hour === null && among.filter === null && queryOf('after') === ''
  // Apart from the pages: to count hundreds of thousands takes longer than to read fifty, and need not be done again for each page.
  const counted = useAnswer(conversationCount, among)
  const { data, error, isLoading, reload } = useAnswer(conversations, {
    ...among, cursor: queryOf('after') || null,
    // Stays as it is while one pages; by activity, a new message moves an old conversation.
    sort: [{ field: 'created', direction: 'desc' }]
  })
  const rows = data?.conversations.edges.map(({ node }) => node) ?? []
  return (
    <Page title='Conversations' parent={{ to: '/analytics', title: 'Analytics' }}>
      <div class='filters'>
        <Field label='Begun from'><input type='date' value={dayOf(queryOf('start'))} onChange={(event) => { setQuery({ start: spanOf({ from: valueOf(event), to: '' }).from, after: null }) }} /></Field>
        <Field label='To'><input type='date' value={dayOf(queryOf('end'), 1)} onChange={(event) => { setQuery({ end: spanOf({ from: '', to: valueOf(event) }).to, after: null }) }} /></Field>
        {may('VIEW_PII') && <Field label='E-mail'><input type='search' value={queryOf('email')} placeholder='The whole address' onChange={(event) => { setQuery({ email: valueOf(event).trim(), after: null }) }} /></Field>}
        {offered.map(([key, title, options]) => (
          <Field key={key} label={title}>
            <select value={queryOf(key)} onChange={(event) => { setQuery({ [key]: valueOf(event), after: null }) }}><option value=''>All</option>{options.map(([value, word]) => <option key={value} value={value}>{word}</option>)}</select>
          </Field>
        ))}
        <Field label='Channel'>
          <select value={queryOf('channel')} onChange={(event) => { setQuery({ channel: valueOf(event), after: null }) }}><option value=''>All</option>{channels.map((each) => <option key={each} value={each}>{each}</option>)}</select>
        </Field>
        <Field label='Tag'>
          <select value={queryOf('tag')} onChange={(event) => { setQuery({ tag: valueOf(event), after: null }) }}><option value=''>All</option>{(data?.vendorSmartTags ?? []).map(({ id, title }) => <option key={id} value={id}>{title}</option>)}</select>
        </Field>
      </div>
      <Times />
      <OfProduct name='product' says='With an attributed order of' />
      <OfProduct name='recommended' says='With a recommendation of' />
      {error !== null && <Failure error={error} retry={reload} />}
      {error === null && data === null && <Skeleton rows={10} />}
      {data !== null && rows.length === 0 && (isAll
        ? <Empty title='No conversations yet'><p>They come over Kafka, or are loaded from a file by whoever runs the service:</p><pre>npm run --silent catalog -- load conversations conversations.jsonl --vendor {among.vendorId}</pre></Empty>
        : <p class='quiet'>No conversation is like that.</p>)}
      {rows.length > 0 && <Table rows={rows} isLoading={isLoading} />}
      {data !== null && rows.length > 0 && (
        <div class='row' style='justify-content:space-between'>
          <Pager shown={rows.length} total={counted.isLoading ? 'pending' : counted.data?.conversations.totalCount ?? null} endCursor={data.conversations.endCursor} hasNextPage={data.conversations.hasNextPage} of='conversations' />
          <CsvButton name='conversations' head={['id', 'created', 'channel', 'status', 'subject', 'tags']} rows={rows.map(({ id, created, channel, status, subject, mostRecentSegmentStats }) => [id, created, channel, status, subject, tagsOf(mostRecentSegmentStats)])} />
        </div>
      )}
    </Page>
  )
}

/** Says what the fields of days cannot: the hours at their ends, and of the week. */
function Times () {
  const [start, end, hour, zone] = [queryOf('start'), queryOf('end'), queryOf('hour'), queryOf('zone')]
  if (start === '' && end === '' && hour === '') return null
  const ofWeek = hour === '' ? '' : `, on ${wordWeekday(Number(queryOf('day')), 'long')} in the hour from ${wordHour(Number(hour))} (${zone})`
  return (
    <p class='quiet small' style='margin-bottom:8px'>
      Begun{start !== '' && ` from ${wordFullTime(start)}`}{end !== '' && ` until ${wordFullTime(end)}`}{ofWeek}.{' '}
      <button type='button' class='plain' onClick={() => { setQuery({ start: null, end: null, day: null, hour: null, zone: null, after: null }) }}>All times</button>
    </p>
  )
}

/** Figures of products lead here; there are too many of them to choose among. */
function OfProduct ({ name, says }: { name: 'product' | 'recommended', says: string }) {
  const externalId = queryOf(name)
  if (externalId === '') return null
  return (
    <p class='quiet small wrap' style='margin-bottom:8px'>
      {says} {externalId}.{' '}
      <button type='button' class='plain' onClick={() => { setQuery({ [name]: null, after: null }) }}>All products</button>
    </p>
  )
}

const tagsOf = (stats: Row['mostRecentSegmentStats']): string => stats?.smartTags.map(({ title }) => title).join(', ') ?? ''

function Table ({ rows, isLoading }: { rows: Row[], isLoading: boolean }) {
  return (
    <div class='table' role='region' aria-label='Conversations' tabIndex={0} aria-busy={isLoading}>
      <table>
        <thead><tr><th>Subject</th><th>Begun</th><th class='of-phone'>Channel</th><th>Expert</th><th class='of-phone'>Sentiment</th><th class='of-phone'>Tags</th><th>Order</th></tr></thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <td class='wrap'><Link to={`/conversations/${encodeURIComponent(row.id)}`}>{row.subject ?? 'Without a subject'}</Link>{row.customerIdentity?.suppliedFirstName !== null && row.customerIdentity !== null && <div class='quiet small'>{row.customerIdentity.suppliedFirstName}</div>}</td>
              <td class='nowrap'>{wordFullTime(row.created)}</td>
              <td class='of-phone'>{row.channel}</td>
              <td class='wrap'>{row.currentExpert === null ? <span class='quiet'>AI</span> : [row.currentExpert.firstName, row.currentExpert.lastName].filter(Boolean).join(' ')}</td>
              <td class='of-phone'>{row.mostRecentSegmentStats?.aiInferredSentiment?.toLowerCase()}</td>
              <td class='of-phone wrap'>{tagsOf(row.mostRecentSegmentStats)}</td>
              <td>{row.hasAttributedConversion === true ? 'Attributed' : ''}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
