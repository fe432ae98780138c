/** Small random shops: records of every kind, with times around a change of the clocks, and links that lead nowhere now and then. */
import { seededRandom } from '../unit/domain/seeded-random.js'

type Row = Record<string, unknown> & { id: string }
export interface Shop {
  zone: string
  start: Date | null
  end: Date | null
  channel: string | null
  records: {
    conversations: ShopConversation[]
    'conversation-events': ShopEvent[]
    sessions: ShopSession[]
    orders: ShopOrder[]
    surveys: ShopSurvey[]
    'smart-tags': Row[]
    experts: Row[]
    'knowledge-documents': Row[]
  }
}
export interface ShopConversation extends Row {
  created: string
  channel: string
  sessionId: string | null
  lastMessageDate: string | null
  currentExpertId: string | null
  customer: { id: string, email: string | null } | null
  segment: { smartTagIds: string[], aiAppliedTags: Array<{ tagId: string }>, aiInferredSentiment: string | null, totalTimeSpentChatting: number | null } | null
}
export interface ShopEvent extends Row {
  conversationId: string
  created: string
  type: string
  expertId: string | null
  recommendations: Array<{ product: { externalId: string } }>
  citedKnowledgeDocumentIds: string[]
}
export interface ShopSession extends Row { created: string }
export interface ShopOrder extends Row {
  created: string
  sessionId: string | null
  totalPrice: number
  currency: string
  totalPriceUSD: number
  attribution: { method: string, conversationId: string | null, chattingExpertId: string | null, asAiPersona: boolean } | null
  lineItems: Array<{ quantity: number, finalTotalPrice: number, product: { externalId: string } | null }>
}
export interface ShopSurvey extends Row { conversationId: string, created: string, type: string, rating: number, expertId: string | null }

const minuteMs = 60_000
const dayMs = 86_400_000

/** Zones and instants at which their clocks change (Asia/Kolkata's do not). */
const changes: Array<[string, number]> = [
  ['America/New_York', Date.UTC(2025, 2, 9, 7)], ['America/New_York', Date.UTC(2025, 10, 2, 6)],
  ['Europe/Berlin', Date.UTC(2025, 2, 30, 1)], ['Europe/Berlin', Date.UTC(2025, 9, 26, 1)],
  ['Asia/Kolkata', Date.UTC(2025, 6, 1)],
  ['Australia/Lord_Howe', Date.UTC(2025, 3, 5, 15)], ['Australia/Lord_Howe', Date.UTC(2025, 9, 4, 15, 30)],
  ['Pacific/Apia', Date.UTC(2011, 11, 30, 10)], ['Pacific/Apia', Date.UTC(2011, 8, 24, 14)]
]

export function randomShop (seed: number): Shop {
  const random = seededRandom(seed)
  const [zone, change] = changes[seed % changes.length] as [string, number]
  const spreadDays = random.pick([1, 4, 20, 120, 500])
  /** Often at the very change or near it. */
  const instant = (): number => {
    if (random.chance(0.1)) return change + random.pick([-1, 0, 1, -30 * minuteMs, 30 * minuteMs])
    if (random.chance(0.2)) return change + (random.below(360) - 180) * minuteMs
    return change + Math.floor((random.below(20_001) - 10_000) / 10_000 * spreadDays * dayMs)
  }
  const at = (time: number): string => new Date(time).toISOString()
  const list = <T>(max: number, make: (index: number) => T): T[] => Array.from({ length: random.below(max + 1) }, (_, index) => make(index))
  const maybe = <T>(probability: number, value: T): T | null => random.chance(probability) ? value : null
  const idOf = (prefix: string, bound: number): string => `${prefix}${random.below(bound)}`
  const channels = ['ServiceChat', 'HelpdeskOneTicket', 'HelpdeskTwoTicket', 'HelpdeskThreeConversation']

  const conversations = list(14, (index): ShopConversation => {
    const created = instant()
    return {
      id: `c${index}`,
      status: random.pick(['OPEN', 'CLOSED']),
      channel: random.pick(channels),
      created: at(created),
      lastMessageDate: maybe(0.4, at(created + random.below(dayMs))),
      sessionId: maybe(0.8, idOf('s', 10)),
      currentExpertId: maybe(0.5, idOf('e', 4)),
      customer: maybe(0.7, { id: idOf('u', 9), email: maybe(0.7, `${random.pick(['ann', 'Ann', 'bob'])}@example.com`) }),
      segment: maybe(0.8, {
        smartTagIds: list(2, () => idOf('t', 4)),
        aiAppliedTags: list(2, () => ({ tagId: idOf('t', 4) })),
        aiInferredSentiment: maybe(0.6, random.pick(['POSITIVE', 'NEUTRAL', 'NEGATIVE'])),
        totalTimeSpentChatting: maybe(0.7, random.below(4_000))
      })
    }
  })
  const events = list(60, (index): ShopEvent => ({
    id: `v${index}`,
    conversationId: idOf('c', 15),
    created: at(instant()),
    type: random.pick(['CustomerMessage', 'CustomerMessage', 'AIMessage', 'AIMessage', 'ExpertMessage', 'ExpertJoined', 'Recommendation', 'Closed']),
    expertId: maybe(0.7, idOf('e', 4)),
    recommendations: list(2, () => ({ product: { externalId: idOf('p', 5) } })),
    citedKnowledgeDocumentIds: list(2, () => idOf('k', 4))
  }))
  const orders = list(15, (index): ShopOrder => {
    const usd = random.below(100_000) / 100
    const currency = random.pick(['USD', 'EUR'])
    const totalPrice = currency === 'USD' ? usd : Math.round(usd * 80) / 100
    return {
      id: `o${index}`,
      created: at(instant()),
      sessionId: maybe(0.8, idOf('s', 12)),
      totalPrice,
      currency,
      totalPriceUSD: usd,
      attribution: maybe(0.6, {
        method: 'link', conversationId: maybe(0.9, idOf('c', 15)), chattingExpertId: maybe(0.5, idOf('e', 4)), asAiPersona: random.chance(0.3)
      }),
      lineItems: list(3, () => ({ quantity: random.below(5), finalTotalPrice: random.below(5_000) / 100, product: maybe(0.9, { externalId: idOf('p', 5) }) }))
    }
  })
  const start = instant()
  const length = Math.floor(random.pick([0.5, 3, 32, 60, 200, 700]) * dayMs)
  return {
    zone,
    start: maybe(0.85, new Date(start)),
    end: maybe(0.85, new Date(start + length)),
    channel: maybe(0.4, random.pick(channels)),
    records: {
      conversations,
      'conversation-events': events,
      sessions: list(12, (index): ShopSession => ({ id: `s${index}`, created: at(instant()), lead: idOf('lead', 5) })),
      orders,
      surveys: list(10, (index): ShopSurvey => {
        const type = random.pick(['NPS', 'CSAT'])
        return { id: `y${index}`, conversationId: idOf('c', 15), created: at(instant()), type, rating: type === 'NPS' ? random.below(11) : 1 + random.below(5), expertId: maybe(0.5, idOf('e', 4)) }
      }),
      'smart-tags': list(4, (index) => ({ id: `t${index}`, title: `Tag ${index}` })),
      experts: list(4, (index) => ({ id: `e${index}`, firstName: `First ${index}`, isCSAgent: index % 2 === 0 })),
      'knowledge-documents': list(4, (index) => ({ id: `k${index}`, title: `Document ${index}` }))
    }
  }
}
