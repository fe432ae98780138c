/** `npm run demo -- --analytics`: a year of a shop's conversations loaded from files, and a dashboard asked for over GraphQL. */
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'
import { loadAnalyticsFile } from '../../pipelines/analytics-load.js'
import type { RecordKind } from '../domain/analytics/records.js'
import type { Repositories } from '../store/repositories.js'
import { createPatience } from '../store/database/while-away.js'
import { expectEqual } from './demo-checks.js'
import { createImportApi } from './import-api.js'
import { sampleKinds, sampleYear } from './sample-conversations.js'
import { writeSampleFile } from './sample-catalog.js'
import type { Screen } from './screen.js'
import { wordCount, wordDuration, wordNumber } from './wording.js'

export interface AnalyticsDemoOptions {
  /** An empty folder for the sample files. */
  folder: string
  screen: Screen
  signal: AbortSignal
  conversations: number
  vendorId: string
}

const seed = 2_025

interface Dashboard {
  vendorById: {
    conversationAggregateStatistics: {
      numberOfChats: number, automationRate: number, totalValueOfConversationsAttributedToChat: number, conversionRateForChatters: number,
      averageExpertResponseTime: number, csatScore: number, attributedRevenueTimeSeries: Array<{ time: string, totalAttributedValue: number }>
    }
  }
}

/** Throws CliError as soon as anything is not as it must be. The vendor must exist. */
export async function runAnalyticsDemo (options: AnalyticsDemoOptions, service: { url: string, repositories: Repositories }): Promise<void> {
  const { screen, signal, vendorId, conversations } = options
  const startedAt = performance.now()
  let records = 0
  for (const kind of sampleKinds) {
    screen.doing(`loading ${kind}`)
    records += await load(kind, options, service.repositories)
  }
  const tookMs = performance.now() - startedAt
  screen.done('a year of chats', `${wordCount(records, 'record')} loaded in ${wordDuration(tookMs)}`)

  const { key } = await service.repositories.integrationApiKeys.create(vendorId, 'dashboard', ['VIEW_CONVERSATIONS', 'VIEW_CONVERSIONS', 'VIEW_NPS'])
  const api = createImportApi({ url: service.url, key, signal })
  const { vendorById } = await api.query<Dashboard>(`query ($vendorId: ID!) { vendorById(vendorId: $vendorId) {
    conversationAggregateStatistics {
      numberOfChats automationRate totalValueOfConversationsAttributedToChat conversionRateForChatters averageExpertResponseTime csatScore
      attributedRevenueTimeSeries(timezone: "Europe/Berlin") { time totalAttributedValue }
    }
  } }`, { vendorId })
  const figures = vendorById.conversationAggregateStatistics
  expectEqual('GraphQL: numberOfChats', figures.numberOfChats, conversations)
  const series = figures.attributedRevenueTimeSeries.reduce((sum, { totalAttributedValue }) => sum + totalAttributedValue, 0)
  expectEqual('GraphQL: the months of the series in all', Math.round(series), Math.round(figures.totalValueOfConversationsAttributedToChat))
  screen.done('dashboard', `${wordNumber(figures.numberOfChats)} chats, ${(figures.automationRate * 100).toFixed(1)} % handled by AI`)
  screen.detail(`  attributed revenue   ${wordNumber(Math.round(figures.totalValueOfConversationsAttributedToChat))} USD`)
  screen.detail(`  chatters who bought  ${(figures.conversionRateForChatters * 100).toFixed(1)} %`)
  screen.detail(`  expert response      ${figures.averageExpertResponseTime.toFixed(0)} s`)
  screen.detail(`  CSAT                 ${figures.csatScore.toFixed(2)} of 5`)
}

async function load (kind: RecordKind & (typeof sampleKinds)[number], { folder, signal, conversations, vendorId }: AnalyticsDemoOptions, { analytics }: Repositories): Promise<number> {
  const path = join(folder, `${kind}.jsonl.gz`)
  function * lines (): Generator<string> {
    for (const record of sampleYear(kind, { conversations, seed })) yield JSON.stringify(record)
  }
  const written = await writeSampleFile(path, lines())
  const totals = await loadAnalyticsFile({
    source: createReadStream(path),
    name: `${kind}.jsonl.gz`,
    kind,
    vendorId,
    writer: analytics.writer,
    patience: createPatience(signal, pino({ level: 'silent' })),
    onBadRecord: () => {},
    signal
  })
  expectEqual(`${kind}: read, written and errors`, [totals.read, totals.written, totals.errors], [written.lines, written.lines, 0])
  return totals.written
}
