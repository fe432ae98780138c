/** The analytics repositories of one database. */
import type { Collections } from '../database/connection.js'
import { createAnalyticsLookups, type AnalyticsLookups } from './analytics-lookups.js'
import { createAnalyticsWriter, type AnalyticsWriter } from './analytics-writer.js'
import { createConversations, type Conversations } from './conversations.js'
import { createSmartTags, type SmartTags } from './smart-tags.js'
import { createStatistics, type Statistics } from './statistics.js'

export interface Analytics {
  writer: AnalyticsWriter
  conversations: Conversations
  statistics: Statistics
  smartTags: SmartTags
  lookups: AnalyticsLookups
}

export const createAnalytics = (collections: Collections): Analytics => ({
  writer: createAnalyticsWriter(collections),
  conversations: createConversations(collections),
  statistics: createStatistics(collections),
  smartTags: createSmartTags(collections),
  lookups: createAnalyticsLookups(collections)
})
