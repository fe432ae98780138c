/** One conversation, to be read. */
import { conversation, type ConversationEventType, type ConversationQuery } from '../api/operations.js'
import { vendor } from '../api/session.js'
import { wordCount, wordDuration, wordFullTime, wordTime } from '../ui/format.js'
import { Page } from '../ui/page.js'
import { Empty, Failure, Skeleton } from '../ui/states.js'
import { useAnswer } from '../ui/use-answer.js'

type Conversation = NonNullable<ConversationQuery['conversation']>
type Event = Conversation['events']['edges'][number]['node']

const parent = { to: '/conversations', title: 'Conversations' }

const speakers: Record<ConversationEventType, [kind: string, title: string]> = {
  CustomerMessage: ['customer', 'Customer'], AIMessage: ['ai', 'Assistant'], ExpertMessage: ['expert', 'Expert'],
  ExpertJoined: ['event', 'An expert joined'], Recommendation: ['ai', 'Recommendation'], Closed: ['event', 'Closed']
}

export function ConversationPage ({ id }: { id: string }) {
  const { data, error, errors, reload } = useAnswer(conversation, { id, vendorId: vendor.value?.id ?? '' })
  const found = data?.conversation ?? null
  if (error !== null) return <Page title='Conversation' parent={parent}><Failure error={error} retry={reload} /></Page>
  if (data === null) return <Page title='Conversation' parent={parent}><Skeleton /></Page>
  if (found === null) return <Page title='Conversation' parent={parent}><Empty title='There is no such conversation' /></Page>
  const refused = new Map(errors.map(({ path = [], message }) => [String(path.at(-1)), message]))
  const events = found.events.edges.map(({ node }) => node)
  return (
    <Page title={found.subject ?? 'Conversation'} parent={parent}>
      <Facts of={found} refused={refused} />
      {found.vendorConversationSummaries.map(({ summary }, index) => <section key={index}><h2>Summary</h2><p class='wrap' style='max-width:800px'>{summary}</p></section>)}
      <section>
        <h2>Messages</h2>
        {found.events.totalCount > events.length && <p class='quiet'>The last {events.length} of {wordCount(found.events.totalCount, 'event')}.</p>}
        {events.length === 0 && <p class='quiet'>Nobody has written anything.</p>}
        <ol class='talk'>{events.map((event) => <Message key={event.id} event={event} />)}</ol>
      </section>
      {data.customerEvent.length > 0 && (
        <section>
          <h2>What the customer did</h2>
          <div class='table' role='region' aria-label='What the customer did' tabIndex={0}>
            <table>
              <thead><tr><th>Time</th><th>What</th><th>Of what</th></tr></thead>
              <tbody>{data.customerEvent.map((event) => <tr key={event.id}><td class='nowrap'>{wordTime(event.created)}</td><td>{event.type}</td><td class='wrap'>{event.product?.name ?? event.search ?? event.name}</td></tr>)}</tbody>
            </table>
          </div>
        </section>
      )}
    </Page>
  )
}

function Facts ({ of: { status, channel, created, customerIdentity, npsSurveys, mostRecentSegmentStats }, refused }: { of: Conversation, refused: ReadonlyMap<string, string> }) {
  const hidden = (field: string): string | undefined => refused.get(field)
  return (
    <dl class='facts' style='margin-bottom:24px'>
      <div><dt>State</dt><dd><span class={`state ${status === 'OPEN' ? 'runs' : 'done'}`}>{status === 'OPEN' ? 'Open' : 'Closed'}</span></dd></div>
      <div><dt>Channel</dt><dd>{channel}</dd></div>
      <div><dt>Begun</dt><dd>{wordFullTime(created)}</dd></div>
      <div><dt>Customer</dt><dd>{hidden('suppliedFirstName') ?? customerIdentity?.suppliedFirstName ?? '—'}</dd></div>
      <div><dt>E-mail</dt><dd>{hidden('email') ?? customerIdentity?.email ?? '—'}</dd></div>
      <div><dt>NPS</dt><dd>{hidden('npsSurveys') ?? (npsSurveys?.map(({ rating }) => rating).join(', ') || '—')}</dd></div>
      <div><dt>Sentiment</dt><dd>{mostRecentSegmentStats?.aiInferredSentiment?.toLowerCase() ?? '—'}</dd></div>
      <div><dt>Time in chat</dt><dd>{wordDuration(mostRecentSegmentStats?.totalTimeSpentChatting == null ? null : mostRecentSegmentStats.totalTimeSpentChatting * 1_000)}</dd></div>
      <div><dt>Tags</dt><dd><span class='tags'>{mostRecentSegmentStats?.smartTags.map(({ id, title }) => <span class='tag' key={id}>{title}</span>)}</span></dd></div>
    </dl>
  )
}

function Message ({ event: { body, type, created, expert, recommendations, knowledgeCitations } }: { event: Event }) {
  const [kind, title] = speakers[type]
  const named = recommendations.flatMap(({ product }) => product?.name ?? [])
  return (
    <li class={kind}>
      <span class='small'>{title}{expert !== null && ` ${[expert.firstName, expert.lastName].filter(Boolean).join(' ')}`}, {wordTime(created)}</span>
      {body}
      {named.length > 0 && <span class='small'>Recommended: {named.join(', ')}</span>}
      {knowledgeCitations.length > 0 && <span class='small'>From: {knowledgeCitations.map(({ knowledgeDocument }) => knowledgeDocument.title ?? knowledgeDocument.id).join(', ')}</span>}
    </li>
  )
}
