/** Resolvers of conversation analytics (interface.md, "GraphQL: analytics"). */
import type { Caller, Permission } from '../../../domain/access.js'
import { groupsOf, type ConversationFilter } from '../../../domain/analytics/conversation-filter.js'
import { checkPeriod, type Period } from '../../../domain/analytics/period.js'
import { zoneOf } from '../../../domain/analytics/time-zone.js'
import { dateTime } from '../../../domain/reader.js'
import { badInput, notFound } from '../../../errors.js'
import { positionOf, type ConversationPosition, type ConversationsAmong, type ConversationSort } from '../../../store/analytics/conversation-pages.js'
import type { Repositories } from '../../../store/repositories.js'
import { assertPermitted, vendorOf } from '../../auth/access.js'
import { createAnalyticsNodes, toSmartTag } from './analytics-nodes.js'
import { createStatisticsNodes } from './conversation-statistics.js'
import { conversationCursor, forged } from '../cursors.js'
import type { ConversationSortInput, HourOfWeekInput, MutationResolvers, QueryResolvers, SmartTagInput } from '../generated.js'
import { pageSize } from '../limits/page-size.js'

const conversationPage = { min: 1, max: 200, default: 25 }
const maxCustomerEvents = 1_000
const maxFilterEntries = 20
const maxFilterValues = 50
const maxFilterText = 320
const maxTitle = 255
const maxDescription = 2_000

type Sort = [ConversationSort, ...ConversationSort[]]

export function createAnalyticsResolvers (repositories: Pick<Repositories, 'analytics' | 'vendors'>) {
  const { analytics: { conversations, smartTags, statistics, lookups }, vendors } = repositories

  const Query = {
    async vendorById (caller, { vendorId: named }, { rows }) {
      const vendor = await vendors.find(vendorOf(caller, named))
      if (vendor === null) return null
      const statisticsOf = createStatisticsNodes(caller, repositories, createAnalyticsNodes(caller, repositories))
      return {
        id: vendor._id,
        name: vendor.name,
        conversationAggregateStatistics: ({ start, end, channel }) =>
          statisticsOf({ vendorId: vendor._id, period: periodOf(start, end), channel: channel ?? null }, rows)
      }
    },

    async smartTagCounts (caller, { vendorId: named, start, end }, { rows }) {
      const vendorId = vendorOf(caller, named)
      const period = periodOf(start, end)
      checkPeriod(period)
      rows.take('figure', 1)
      const counts = await statistics.tagCounts({ vendorId, period, channel: null })
      const tags = await smartTags.findMany(vendorId, counts.map(({ id }) => id))
      return counts.flatMap(({ id, count }) => {
        const tag = tags.get(id)
        return tag === undefined ? [] : [{ tag: toSmartTag(tag), count }]
      })
    },

    vendorSmartTags: async (caller, { vendorId }) => (await smartTags.list(vendorOf(caller, vendorId))).map(toSmartTag),

    async conversations (caller, { vendorId: named, first: wanted, cursor, sort: asked, filter, start, end, hour: wantedHour }, { rows }) {
      const vendorId = vendorOf(caller, named)
      const first = pageSize(wanted, conversationPage)
      rows.take('node', first)
      const period = periodOf(start, end)
      checkPeriod(period)
      const hour = wantedHour === null || wantedHour === undefined ? null : hourOf(wantedHour)
      const sort = sortOf(asked ?? [], period.start !== null || period.end !== null || hour !== null)
      checkFilter(filter ?? [], caller)
      const among = { groups: groupsOf(vendorId, filter ?? []), period, hour }
      const after = cursor === undefined || cursor === null ? null : await positionIn(vendorId, cursor, sort)
      const { nodes, hasNextPage } = await conversations.page(vendorId, { ...among, sort, first, after })
      const toNode = createAnalyticsNodes(caller, repositories).conversation
      const edges = nodes.map((each) => ({ cursor: conversationCursor.encode(sortName(sort), positionOf(each, sort)), node: toNode(each) }))
      return {
        edges,
        hasNextPage,
        // The one that the cursor names comes before.
        hasPrevPage: after !== null,
        startCursor: edges.at(0)?.cursor ?? null,
        endCursor: edges.at(-1)?.cursor ?? null,
        totalCount: async () => await conversations.count(vendorId, among)
      }
    },

    async conversation (caller, { id }, { rows }) {
      rows.take('node', 1)
      const found = await conversations.find(caller.vendorId, id)
      return found === null ? null : createAnalyticsNodes(caller, repositories).conversation(found)
    },

    async customerEvent (caller, { id, vendorId: named }, { rows }) {
      const conversation = await conversations.find(vendorOf(caller, named), id)
      if (conversation === null) throw notFound('There is no such conversation')
      if (conversation.sessionKey === null) return []
      rows.take('event', maxCustomerEvents)
      const events = await conversations.customerEvents(conversation.sessionKey, maxCustomerEvents)
      return events.map(createAnalyticsNodes(caller, repositories).customerEvent)
    },

    async sessionByVendorId (caller, { vendorId, lead }) {
      const found = await lookups.sessionOfLead(vendorOf(caller, vendorId), lead)
      return found === null ? null : createAnalyticsNodes(caller, repositories).session(found)
    }
  } satisfies QueryResolvers

  const Mutation = {
    async createSmartTag (caller, { vendorId, input }) {
      checkTag(input)
      return toSmartTag(await smartTags.create(vendorOf(caller, vendorId), { title: input.title, description: input.description ?? null }))
    },

    async updateSmartTag (caller, { id, input }) {
      checkTag(input)
      const { title, description } = input
      const updated = await smartTags.update(caller.vendorId, id, { title, ...(description === undefined ? {} : { description }) })
      if (updated === null) throw notFound('There is no such smart tag')
      return toSmartTag(updated)
    },

    async deleteSmartTag (caller, { id }) {
      if (!await smartTags.delete(caller.vendorId, id)) throw notFound('There is no such smart tag')
      return true
    }
  } satisfies MutationResolvers

  /** The conversation that a cursor names must be there, where it was; with any other the list would begin anywhere. */
  async function positionIn (vendorId: string, cursor: string, sort: Sort): Promise<ConversationPosition> {
    const position = conversationCursor.decode(cursor, sortName(sort), sort.length)
    const conversation = await conversations.findByKey(vendorId, position.key)
    const moved = conversation === null || sort.some(({ field }, index) => field === 'created' && conversation.created.getTime() !== position.values[index])
    if (moved) throw forged()
    return position
  }

  return { Query, Mutation }
}

/** The DateTime scalar has checked the text. */
function periodOf (start: Date | string | null | undefined, end: Date | string | null | undefined): Period {
  const instant = (value: Date | string | null | undefined): Date | null => value === null || value === undefined ? null : dateTime(value, [])
  return { start: instant(start), end: instant(end) }
}

function hourOf ({ dayIndex, hour, timezone }: HourOfWeekInput): NonNullable<ConversationsAmong['hour']> {
  if (dayIndex < 0 || dayIndex > 6) throw badInput('hour.dayIndex must be from 0 to 6', 'hour.dayIndex')
  if (hour < 0 || hour > 23) throw badInput('hour.hour must be from 0 to 23', 'hour.hour')
  return { zone: zoneOf(timezone), hourOfWeek: dayIndex * 24 + hour }
}

function sortOf (asked: readonly ConversationSortInput[], isOfPeriod: boolean): Sort {
  const sort = asked.map(({ field, direction }): ConversationSort => ({ field: field === 'created' ? 'created' : 'activeAt', direction }))
  const [first, ...rest] = sort
  if (first === undefined) return [{ field: isOfPeriod ? 'created' : 'activeAt', direction: 'desc' }]
  if (isOfPeriod && first.field !== 'created') throw badInput('sort must begin with created where start, end or hour are given', 'sort')
  if (rest.length > 1 || rest[0]?.field === first.field) throw badInput('sort must name each field at most once', 'sort')
  return [first, ...rest]
}

/** A cursor belongs to its sort. */
const sortName = (sort: Sort): string => sort.map(({ field, direction }) => `${field}:${direction}`).join(',')

/** What nobody may read, nobody may filter by: the list would tell. */
const filterPermissions: Partial<Record<keyof ConversationFilter, Permission>> = {
  email: 'VIEW_PII', npsRating: 'VIEW_NPS', conversionStatus: 'VIEW_CONVERSIONS', soldProductExternalId: 'VIEW_CONVERSIONS'
}

function checkFilter (filter: readonly ConversationFilter[], caller: Caller): void {
  if (filter.length > maxFilterEntries) throw badInput(`filter must have at most ${maxFilterEntries} entries`, 'filter')
  filter.forEach((entry, index) => {
    for (const [key, value] of Object.entries(entry) as Array<[keyof ConversationFilter, string | string[] | null]>) {
      if (value === null) continue
      const permission = filterPermissions[key]
      if (permission !== undefined) assertPermitted(caller, permission)
      const values = Array.isArray(value) ? value : [value]
      const field = `filter[${index}].${key}`
      if (values.length > maxFilterValues) throw badInput(`${field} must have at most ${maxFilterValues} values`, field)
      if (values.some((each) => each.length > maxFilterText)) throw badInput(`${field} must be at most ${maxFilterText} characters`, field)
    }
  })
}

function checkTag ({ title, description }: SmartTagInput): void {
  if (title.trim() === '' || title.length > maxTitle || !title.isWellFormed()) throw badInput(`title must be 1 to ${maxTitle} characters`, 'input.title')
  if (description != null && (description.length > maxDescription || !description.isWellFormed())) {
    throw badInput(`description must be at most ${maxDescription} characters`, 'input.description')
  }
}
