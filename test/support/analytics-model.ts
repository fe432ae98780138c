/**
 * The figures of a shop, computed from its records as plain arrays: written from docs/analytics.md, apart from the service's
 * code. Local times come from Intl record by record, with no arithmetic on offsets.
 */
import type { Shop, ShopConversation, ShopEvent, ShopOrder } from './analytics-shop.js'

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0)
const average = (values: number[]): number | null => values.length === 0 ? null : sum(values) / values.length
const time = (text: string): number => Date.parse(text)

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

const formatters = new Map<string, Intl.DateTimeFormat>()
/** Year-month-day, hour and weekday that the wall clock shows. */
export function wallClock (zone: string, instant: number): { date: string, hour: number, weekday: string } {
  const formatter = formatters.get(zone) ?? new Intl.DateTimeFormat('en-GB', {
    timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', hourCycle: 'h23', weekday: 'long'
  })
  formatters.set(zone, formatter)
  const parts = Object.fromEntries(formatter.formatToParts(instant).map(({ type, value }) => [type, value]))
  return { date: `${parts['year']}-${parts['month']}-${parts['day']}`, hour: Number(parts['hour']), weekday: parts['weekday'] ?? '' }
}

/** Every local date from the first to the last instant. Steps are shorter than any day. */
export function datesBetween (zone: string, start: number, end: number): string[] {
  const dates = new Set<string>()
  for (let at = start; at < end; at += 10 * 3_600_000) dates.add(wallClock(zone, at).date)
  if (end > start) dates.add(wallClock(zone, end - 1).date)
  return [...dates].sort()
}

const weekdayOf = (date: string): string => weekdays[(new Date(date).getUTCDay() + 6) % 7] ?? ''
const mondayOf = (date: string): string => new Date(Date.parse(date) - weekdays.indexOf(weekdayOf(date)) * 86_400_000).toISOString().slice(0, 10)

export function figuresOf (shop: Shop) {
  const { records, channel, zone } = shop
  const start = shop.start?.getTime() ?? -Infinity
  const end = shop.end?.getTime() ?? Infinity
  const inPeriod = <T extends { created: string }>(rows: T[]): T[] => rows.filter(({ created }) => time(created) >= start && time(created) < end)
  const eventsOf = ({ id }: ShopConversation): ShopEvent[] => records['conversation-events'].filter(({ conversationId }) => conversationId === id)
    .sort((a, b) => time(a.created) - time(b.created))
  const isHuman = (conversation: ShopConversation): boolean => eventsOf(conversation).some(({ type }) => type === 'ExpertJoined' || type === 'ExpertMessage')
  const conversationOf = ({ attribution }: ShopOrder): ShopConversation | undefined => records.conversations.find(({ id }) => id === attribution?.conversationId)

  const chats = inPeriod(records.conversations).filter((each) => channel === null || each.channel === channel)
  const human = chats.filter(isHuman)
  const ai = chats.filter((each) => !isHuman(each))

  const waits = chats.flatMap((chat) => {
    const events = eventsOf(chat)
    return events.flatMap((asked, index) => {
      if (asked.type !== 'CustomerMessage') return []
      const answer = events.slice(index + 1).find(({ type }) => type === 'ExpertMessage')
      return answer === undefined ? [] : [(time(answer.created) - time(asked.created)) / 1_000]
    })
  })
  const joins = chats.flatMap((chat) => {
    const joined = eventsOf(chat).find(({ type }) => type === 'ExpertJoined')
    return joined === undefined ? [] : [Math.max(0, time(joined.created) - time(chat.created)) / 1_000]
  }).sort((a, b) => a - b)
  const humanSeconds = sum(human.map(({ segment }) => segment?.totalTimeSpentChatting ?? 0))

  const orders = inPeriod(records.orders)
  const attributed = orders.filter((order) => order.attribution !== null && (channel === null || conversationOf(order)?.channel === channel))
  const humanOrders = attributed.filter((order) => {
    const conversation = conversationOf(order)
    return (conversation !== undefined && isHuman(conversation)) || (order.attribution?.chattingExpertId != null && !order.attribution.asAiPersona)
  })
  const usd = (rows: ShopOrder[]): number => sum(rows.map(({ totalPriceUSD }) => totalPriceUSD))
  const chatsOfSession = (sessionId: string | null): ShopConversation[] => sessionId === null ? [] : records.conversations.filter((each) => each.sessionId === sessionId)
  const hasOrder = (sessionId: string): boolean => records.orders.some((order) => order.sessionId === sessionId)
  const converted = (chat: ShopConversation): boolean =>
    (chat.sessionId !== null && hasOrder(chat.sessionId)) || records.orders.some(({ attribution }) => attribution?.conversationId === chat.id)
  const chatterSessions = [...new Set(chats.map(({ sessionId }) => sessionId).filter((id) => id !== null))]
  const silentSessions = inPeriod(records.sessions).filter(({ id }) => chatsOfSession(id).length === 0)
  const byChatters = orders.filter(({ sessionId }) => chatsOfSession(sessionId).some((each) => channel === null || each.channel === channel))
  const silent = orders.filter(({ sessionId }) => chatsOfSession(sessionId).length === 0)

  const count = (values: string[]): Array<[string, number]> =>
    [...new Set(values)].map((value): [string, number] => [value, values.filter((each) => each === value).length])
  const ranked = (counts: Array<[string, number]>): Array<[string, number]> => counts.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
  const csat = chats.flatMap(({ id }) => records.surveys.filter((each) => each.type === 'CSAT' && each.conversationId === id)).map(({ rating }) => rating)

  const span = (rows: Array<{ created: string }>): { from: number, to: number } | null => {
    const times = rows.map(({ created }) => time(created))
    const from = shop.start?.getTime() ?? (times.length === 0 ? undefined : Math.min(...times))
    const to = shop.end?.getTime() ?? (times.length === 0 ? undefined : Math.max(...times) + 1)
    return from === undefined || to === undefined ? null : { from, to }
  }
  const chatSpan = span(chats)
  const chatDates = chatSpan === null ? [] : datesBetween(zone, chatSpan.from, chatSpan.to)
  const soldLines = attributed.flatMap(({ lineItems, totalPrice, totalPriceUSD }) => lineItems.map((line) => (
    { ...line, usd: totalPrice === 0 ? line.finalTotalPrice : line.finalTotalPrice * totalPriceUSD / totalPrice }
  )))
  const products = [...new Set(soldLines.flatMap(({ product }) => product === null ? [] : [product.externalId]))].map((externalId) => {
    const lines = soldLines.filter(({ product }) => product?.externalId === externalId)
    return {
      externalId,
      numberSold: sum(lines.map(({ quantity }) => quantity)),
      totalSales: sum(lines.map((line) => line.usd)),
      numberOfRecommendations: chats.flatMap(eventsOf).flatMap(({ recommendations }) => recommendations).filter(({ product }) => product.externalId === externalId).length
    }
  })
  const participants = chats.flatMap((chat) => [...new Set(eventsOf(chat).flatMap(({ type, expertId }) => {
    if (expertId === null) return []
    if (type === 'ExpertJoined' || type === 'ExpertMessage') return [`expert:${expertId}`]
    return type === 'AIMessage' || type === 'Recommendation' ? [`persona:${expertId}`] : []
  }))])
  const credits = attributed.filter(({ attribution }) => attribution?.chattingExpertId != null)
    .map(({ attribution, totalPriceUSD }) => ({ key: `${attribution?.chattingExpertId}/${attribution?.asAiPersona === true}`, usd: totalPriceUSD }))
  const tagsOf = ({ segment }: ShopConversation): string[] => [...new Set([...segment?.smartTagIds ?? [], ...(segment?.aiAppliedTags ?? []).map(({ tagId }) => tagId)])]
  const knownTags = new Set(records['smart-tags'].map(({ id }) => id))
  const middle = joins.length / 2

  return {
    numberOfChats: chats.length,
    numberOfAIChats: ai.length,
    numberOfHumanChats: human.length,
    automationRate: chats.length === 0 ? null : ai.length / chats.length,
    totalValueOfConversationsAttributedToChat: usd(attributed),
    totalValueOfConversationsAttributedToHumanChat: usd(humanOrders),
    totalValueOfConversationsAttributedToAIChat: usd(attributed) - usd(humanOrders),
    numberOfConversionsAttributed: attributed.length,
    conversionRateForChatters: average(chatterSessions.map((id) => chats.some((chat) => chat.sessionId === id && converted(chat)) ? 1 : 0)),
    conversionRateForNonChatters: average(silentSessions.map(({ id }) => hasOrder(id) ? 1 : 0)),
    aovForChatters: average(byChatters.map(({ totalPriceUSD }) => totalPriceUSD)),
    aovForNonChatters: average(silent.map(({ totalPriceUSD }) => totalPriceUSD)),
    aovForAttributedConversions: average(attributed.map(({ totalPriceUSD }) => totalPriceUSD)),
    aovForNonAttributedConversions: average(orders.filter(({ attribution }) => attribution === null).map(({ totalPriceUSD }) => totalPriceUSD)),
    averageExpertResponseTime: average(waits),
    medianJoinTime: joins.length === 0 ? null : ((joins[Math.ceil(middle) - 1] ?? 0) + (joins[Math.floor(middle)] ?? 0)) / 2,
    totalManHoursSpentInChat: humanSeconds / 3_600,
    minutesSavedByRemark: human.length === 0 ? null : ai.length * humanSeconds / 60 / human.length,
    csatScore: average(csat),
    chatsByHourHistogram: Array.from({ length: 24 }, (_, hour) => {
      const found = chats.filter(({ created }) => wallClock(zone, time(created)).hour === hour).length
      return { hour, count: found, average: chatDates.length === 0 ? 0 : found / chatDates.length }
    }),
    chatsByDayOfWeekHistogram: weekdays.map((day, dayIndex) => ({
      day,
      dayIndex,
      chatCount: chats.filter(({ created }) => wallClock(zone, time(created)).weekday === day).length,
      dayCount: chatDates.filter((date) => weekdayOf(date) === day).length
    })),
    chatsByHourOfWeekHistogram: weekdays.flatMap((day, dayIndex) => Array.from({ length: 24 }, (_, hour) => ({
      dayIndex,
      hour,
      chatCount: chats.filter(({ created }) => wallClock(zone, time(created)).weekday === day && wallClock(zone, time(created)).hour === hour).length,
      dayCount: chatDates.filter((date) => weekdayOf(date) === day).length
    }))),
    /** For comparing, not in the served form. */
    chatsByDate: chats.map((chat) => ({ date: wallClock(zone, time(chat.created)).date, isHuman: human.includes(chat) })),
    chatSpan,
    revenueByDate: attributed.map((order) => ({ date: wallClock(zone, time(order.created)).date, usd: order.totalPriceUSD })),
    revenueSpan: span(attributed),
    products,
    experts: ranked(count(participants)),
    credits: [...new Set(credits.map(({ key }) => key))].map((key) => ({ key, usd: sum(credits.filter((each) => each.key === key).map((each) => each.usd)) })),
    cited: ranked(count(chats.flatMap(eventsOf).flatMap(({ citedKnowledgeDocumentIds }) => citedKnowledgeDocumentIds))),
    tags: ranked(count(inPeriod(records.conversations).flatMap(tagsOf)).filter(([id]) => knownTags.has(id)))
  }
}

/** The label of the bucket that a local date is in. */
export const bucketLabel = (date: string, precision: string): string =>
  precision === 'day' ? date : precision === 'week' ? mondayOf(date) : `${date.slice(0, 7)}-01`
