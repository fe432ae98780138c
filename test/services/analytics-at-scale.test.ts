/** Analytics on a real server: many random shops, and a generated year of one. */
import t from 'tap'
import { sampleKinds, sampleYear } from '../../src/cli/sample-conversations.js'
import { analyticsPermissions, checkSeeds, compareFigures, writeRecords } from '../support/analytics-check.js'
import type { Shop } from '../support/analytics-shop.js'
import { testApi } from '../unit/api/test-api.js'

const batchSize = 500
const seeds = Number(process.env['ANALYTICS_SEEDS'] ?? 250)

t.test(`the figures of ${seeds} random shops are those of the model`, { timeout: 900_000 }, async (t) => {
  await checkSeeds(t, await testApi(t), Array.from({ length: seeds }, (_, seed) => seed))
})

t.test('the figures of a generated year are those of the model', { timeout: 900_000 }, async (t) => {
  const api = await testApi(t)
  const records = {} as Record<string, unknown[]>
  for (const kind of sampleKinds) {
    const rows = [...sampleYear(kind, { conversations: 150, seed: 7 })]
    for (let from = 0; from < rows.length; from += batchSize) {
      await writeRecords(api.repositories.analytics.writer, 'year', kind, rows.slice(from, from + batchSize))
    }
    records[kind] = rows
  }
  const key = await api.keyOf('year', analyticsPermissions)
  for (const [zone, start, end, channel] of [
    ['Europe/Berlin', null, null, null],
    ['America/New_York', '2025-02-20T05:00:00Z', '2025-03-20T04:00:00Z', null],
    ['Australia/Lord_Howe', '2025-09-20T00:00:00Z', '2025-12-01T00:00:00Z', 'ServiceChat'],
    ['Asia/Kolkata', '2025-06-01T00:00:00Z', null, null]
  ] as const) {
    const shop = {
      zone, channel, start: start === null ? null : new Date(start), end: end === null ? null : new Date(end), records: normalised(records)
    } as unknown as Shop
    t.strictSame(await compareFigures(api, key, 'year', shop), [], zone)
  }
})

/** What the generator leaves out, as the model wants it. */
function normalised (records: Record<string, unknown[]>): unknown {
  const filled = (kind: string, defaults: object): unknown[] => (records[kind] ?? []).map((row) => ({ ...defaults, ...row as object }))
  return {
    ...records,
    'conversation-events': filled('conversation-events', { expertId: null, recommendations: [], citedKnowledgeDocumentIds: [] }),
    orders: (records['orders'] as Array<{ totalPrice: number }>).map((order) => ({ totalPriceUSD: order.totalPrice, ...order })),
    conversations: filled('conversations', { lastMessageDate: null })
  }
}
