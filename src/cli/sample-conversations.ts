/**
 * A year of a shop's conversations, to try, test and measure analytics with: made from a seed, so the same everywhere. A
 * conversation and what belongs to it can be made without those before it; memory does not grow with their number.
 */
import { createRandom, seedOf, type Random } from './sample-random.js'

export interface SampleYearOptions {
  conversations: number
  seed: number
  /** About this many per conversation; default 6. */
  eventsEach?: number
}

export type SampleKind = 'experts' | 'smart-tags' | 'knowledge-documents' | 'sessions' | 'orders' | 'surveys' | 'customer-events' | 'conversation-events' | 'conversations'
type Record_ = Record<string, unknown>

/** In the order in which they load fastest: what a record is computed from comes before it, as far as that goes. */
export const sampleKinds: readonly SampleKind[] =
  ['experts', 'smart-tags', 'knowledge-documents', 'customer-events', 'conversation-events', 'surveys', 'orders', 'conversations', 'sessions']

const yearStart = Date.UTC(2025, 0, 1)
const dayMs = 86_400_000
const minuteMs = 60_000

const experts = [['Ada', 'Moreau'], ['Ben', 'Okafor'], ['Carla', 'Rossi'], ['Dev', 'Patel'], ['Elin', 'Berg'], ['Farid', 'Haddad'], ['Grace', 'Kim'], ['Hugo', 'Silva']] as const
const tags = ['Sizing', 'Returns', 'Shipping', 'Fitment', 'Warranty', 'Discount', 'Complaint', 'Gift'] as const
const documents = ['Return policy', 'Shipping times', 'Size guide', 'Care instructions', 'Warranty terms', 'Store pick-up'] as const
const questions = ['Does this fit my bike?', 'Which size should I take?', 'When will it arrive?', 'Can I return it?'] as const
const answers = ['Yes, it does.', 'Take your usual size.', 'Within three days.', 'Within thirty days, free of charge.'] as const

interface Sample { conversation: Record_, events: Record_[], session: Record_, orders: Record_[], surveys: Record_[], customerEvents: Record_[] }

export function * sampleYear (kind: SampleKind, options: SampleYearOptions): Generator<Record_> {
  if (kind === 'experts') yield * experts.map(([firstName, lastName], index) => ({ id: `expert-${index}`, firstName, lastName, isCSAgent: index % 3 === 0 }))
  else if (kind === 'smart-tags') yield * tags.map((title, index) => ({ id: `tag-${index}`, title, description: `Asked about: ${title.toLowerCase()}` }))
  else if (kind === 'knowledge-documents') yield * documents.map((title, index) => ({ id: `document-${index}`, title }))
  else {
    for (let index = 0; index < options.conversations; index += 1) {
      const sample = sampleOf(index, options)
      if (kind === 'conversations') yield sample.conversation
      else if (kind === 'sessions') {
        yield sample.session
        // Most visitors never chat.
        for (let visitor = 0; visitor < 2; visitor += 1) yield { id: `visit-${index}-${visitor}`, lead: null, created: sample.session['created'] }
      } else if (kind === 'orders') yield * sample.orders
      else if (kind === 'surveys') yield * sample.surveys
      else if (kind === 'customer-events') yield * sample.customerEvents
      else yield * sample.events
    }
  }
}

function sampleOf (index: number, { conversations, seed, eventsEach = 6 }: SampleYearOptions): Sample {
  const random = createRandom(seedOf(seed, index))
  const created = createdAt(random, index / conversations)
  const at = (minutes: number): string => new Date(created + Math.round(minutes * minuteMs)).toISOString()
  const id = `conversation-${index}`
  const sessionId = `session-${index}`
  const expert = random.chance(0.35) ? `expert-${random.integer(0, experts.length - 1)}` : null
  const product = (): Record_ => ({ externalId: `SKU-${random.integer(1, 400)}` })

  const events: Record_[] = []
  const say = (minutes: number, type: string, more: Record_ = {}): void => { events.push({ id: `${id}-${events.length}`, conversationId: id, created: at(minutes), type, ...more }) }
  let minutes = 0
  const rounds = Math.max(1, Math.round(eventsEach / 2) + random.integer(-1, 1))
  for (let round = 0; round < rounds; round += 1) {
    say(minutes, 'CustomerMessage', { body: random.pick(questions) })
    if (expert !== null && round >= rounds / 2) {
      if (events.every(({ type }) => type !== 'ExpertJoined')) say(minutes += random.integer(5, 300) / 60, 'ExpertJoined', { expertId: expert })
      say(minutes += random.integer(10, 240) / 60, 'ExpertMessage', { body: random.pick(answers), expertId: expert })
    } else {
      say(minutes += 0.05, random.chance(0.3) ? 'Recommendation' : 'AIMessage', {
        body: random.pick(answers),
        expertId: random.chance(0.5) ? `expert-${random.integer(0, experts.length - 1)}` : null,
        recommendations: random.chance(0.4) ? [{ product: product() }] : [],
        citedKnowledgeDocumentIds: random.chance(0.3) ? [`document-${random.integer(0, documents.length - 1)}`] : []
      })
    }
    minutes += random.integer(1, 10)
  }
  const closed = random.chance(0.9)
  if (closed) say(minutes, 'Closed')

  const orders = random.chance(0.5) ? [sampleOrder(random, index, sessionId, at(minutes + random.integer(5, 90)), random.chance(0.6) ? { conversationId: id, expert } : null)] : []
  return {
    conversation: {
      id,
      status: closed ? 'CLOSED' : 'OPEN',
      channel: random.chance(0.7) ? 'ServiceChat' : random.pick(['HelpdeskOneTicket', 'HelpdeskTwoTicket', 'HelpdeskThreeConversation']),
      platform: random.pick(['WEB', 'WEB', 'EMAIL', 'SMS']),
      created: at(0),
      sessionId,
      currentExpertId: expert,
      customer: { id: `customer-${index % Math.max(1, Math.floor(conversations / 3))}`, suppliedFirstName: random.pick(['Kim', 'Lou', 'Max', 'Noa']), email: `customer-${index % Math.max(1, Math.floor(conversations / 3))}@example.com`, location: random.pick(['Berlin', 'Boston', 'Pune']) },
      summaries: ['The customer asked before buying.'],
      segment: {
        smartTagIds: [`tag-${random.integer(0, tags.length - 1)}`],
        aiAppliedTags: random.chance(0.5) ? [{ tagId: `tag-${random.integer(0, tags.length - 1)}`, weight: 0.8, explanation: 'Mentioned in the first message' }] : [],
        aiInferredSentiment: random.pick(['POSITIVE', 'NEUTRAL', 'NEUTRAL', 'NEGATIVE']),
        pairingTime: random.integer(1, 60),
        totalTimeSpentChatting: expert === null ? 0 : random.integer(60, 1_500)
      }
    },
    events,
    session: { id: sessionId, lead: `lead-${index}`, created: at(-random.integer(1, 40)), lastUserAgent: { browser: random.pick(['Firefox', 'Chrome', 'Safari']), deviceType: random.pick(['desktop', 'mobile']) } },
    orders,
    surveys: random.chance(0.2)
      ? [{ id: `${id}-survey`, conversationId: id, created: at(minutes + 60), ...(random.chance(0.5) ? { type: 'NPS', rating: random.integer(0, 10) } : { type: 'CSAT', rating: random.integer(1, 5) }), expertId: expert }]
      : [],
    customerEvents: [
      { id: `${sessionId}-0`, sessionId, created: at(-2), type: 'Search', search: 'backpack' },
      { id: `${sessionId}-1`, sessionId, created: at(-1), type: 'ProductPageView', product: product() }
    ]
  }
}

/** Spread over the year in order, busier in the day than at night. */
function createdAt (random: Random, share: number): number {
  const day = Math.floor(share * 365)
  const hour = random.chance(0.8) ? 8 + random.fraction() * 12 : random.fraction() * 24
  return yearStart + day * dayMs + Math.floor(hour * 60 * minuteMs)
}

function sampleOrder (random: Random, index: number, sessionId: string, created: string, credit: { conversationId: string, expert: string | null } | null): Record_ {
  const lines = Array.from({ length: random.integer(1, 3) }, () => ({ quantity: random.integer(1, 3), cents: random.integer(500, 20_000), product: { externalId: `SKU-${random.integer(1, 400)}` } }))
  const totalPrice = lines.reduce((sum, { cents }) => sum + cents, 0) / 100
  const euro = random.chance(0.2)
  return {
    id: `order-${index}`,
    sessionId,
    created,
    totalPrice,
    currency: euro ? 'EUR' : 'USD',
    ...(euro ? { totalPriceUSD: Math.round(totalPrice * 110) / 100 } : {}),
    orderNumber: String(10_000 + index),
    platform: 'shop',
    attribution: credit === null ? null : { method: 'LastChat', conversationId: credit.conversationId, chattingExpertId: credit.expert },
    lineItems: lines.map(({ quantity, cents, product }) => ({ quantity, finalTotalPrice: cents / 100, product }))
  }
}
