/** The indexes that there have to be; migrate.ts makes the missing ones at start-up. One that changes needs a step in migrations.ts. */
import type { Collections } from './connection.js'

/** As long as the audit trail that names them. null (not revoked) never expires. */
const revokedKeysKeptSeconds = 365 * 24 * 60 * 60

export async function ensureIndexes (c: Collections): Promise<void> {
  await Promise.all([
    // Serves lists, counts, the archive sweep and the search for what fits everything; see products-in-order.
    // Uniqueness of (vendorId, externalId) is that of the deterministic _id.
    c.products.createIndexes([
      { name: 'in-order', key: { vendorId: 1, archived: 1, targeted: 1, externalId: 1 } },
      // Product search, and the removal of links; see domain/search-keys.
      // The key comes first: it narrows down the most, and the embedded servers do not look past the fields before an array.
      { name: 'by-key', key: { 'searchKeys.key': 1, vendorId: 1, archived: 1, externalId: 1 } }
    ]),
    c.importJobs.createIndexes([
      { name: 'by-vendor', key: { vendorId: 1, createdAt: -1, _id: -1 } },
      { name: 'by-vendor-and-status', key: { vendorId: 1, status: 1, createdAt: -1, _id: -1 } },
      // The name comes first, as the key of products' by-key does.
      { name: 'by-file', key: { files: 1, vendorId: 1, createdAt: -1, _id: -1 } },
      { name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 }
    ]),
    c.importIssues.createIndexes([
      // By the order of ids, within a job: both embedded servers look at the whole collection for a range of `_id` alone.
      { name: 'by-job', key: { jobId: 1, _id: 1 } },
      { name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 }
    ]),
    c.unkeptIssues.createIndexes([
      { name: 'by-job', key: { jobId: 1, file: 1, window: 1 } },
      { name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 }
    ]),
    c.importLanes.createIndexes([{ name: 'active', key: { active: 1 } }]),
    c.idempotencyKeys.createIndexes([{ name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 }]),
    c.workers.createIndexes([{ name: 'expiry', key: { heartbeatAt: 1 }, expireAfterSeconds: 24 * 60 * 60 }]),
    c.fileSightings.createIndexes([{ name: 'by-vendor', key: { vendorId: 1 } }]),
    c.integrationApiKeys.createIndexes([
      { name: 'by-hash', key: { hash: 1 }, unique: true },
      { name: 'by-vendor', key: { vendorId: 1 } },
      { name: 'by-creator', key: { createdBy: 1 } },
      { name: 'forgotten-after-a-year', key: { revokedAt: 1 }, expireAfterSeconds: revokedKeysKeptSeconds }
    ]),
    c.userApiKeys.createIndexes([
      { name: 'by-hash', key: { hash: 1 }, unique: true },
      { name: 'by-user', key: { userId: 1 } },
      { name: 'forgotten-after-a-year', key: { revokedAt: 1 }, expireAfterSeconds: revokedKeysKeptSeconds }
    ]),
    c.auditEvents.createIndexes([
      { name: 'by-vendor', key: { vendorId: 1, _id: 1 } },
      { name: 'by-action', key: { vendorId: 1, action: 1, _id: 1 } },
      { name: 'by-kind', key: { vendorId: 1, 'actor.kind': 1, _id: 1 } },
      { name: 'by-user', key: { vendorId: 1, 'actor.userId': 1, _id: 1 } },
      { name: 'by-key', key: { vendorId: 1, 'actor.keyId': 1, _id: 1 } },
      { name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 }
    ]),
    c.users.createIndexes([{ name: 'by-vendor', key: { 'memberships.vendorId': 1 } }]),
    c.sftpKeys.createIndexes([{ name: 'by-vendor', key: { vendorId: 1 } }]),
    c.storeLocations.createIndexes([{ name: 'by-code', key: { vendorId: 1, storeCode: 1 }, unique: true }]),
    c.fitmentFacets.createIndexes([{ name: 'by-slug', key: { vendorId: 1, slug: 1 }, unique: true }]),
    c.fitmentTargets.createIndexes([
      { name: 'by-external-id', key: { externalKey: 1 }, unique: true },
      { name: 'by-number', key: { vendorId: 1, order: 1 } },
      // Filters by any facets; see filterKeysOf.
      { name: 'by-values', key: { keys: 1, order: 1 } }
    ]),
    c.fitmentValues.createIndexes([
      { name: 'by-spelling', key: { spellings: 1 } },
      { name: 'by-facet', key: { vendorId: 1, facetId: 1 } }
    ]),
    c.fitmentMemory.createIndexes([{ name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 }]),
    c.searchVocabularies.createIndexes([{ name: 'asked-for', key: { dueAt: 1 }, sparse: true }]),
    c.linkRemovals.createIndexes([{ name: 'due', key: { dueAt: 1 } }]),
    // Analytics. Keys of other records hold their vendor (domain/analytics/documents), and so do filter keys.
    c.conversations.createIndexes([
      { name: 'by-created', key: { vendorId: 1, created: 1, _id: 1 } },
      { name: 'by-activity', key: { vendorId: 1, activeAt: 1, _id: 1 } },
      { name: 'by-filter-and-created', key: { filterKeys: 1, created: 1, _id: 1 } },
      { name: 'by-filter-and-activity', key: { filterKeys: 1, activeAt: 1, _id: 1 } },
      { name: 'by-session', key: { sessionKey: 1 } }
    ]),
    c.conversationEvents.createIndexes([{ name: 'by-conversation', key: { conversationKey: 1, created: 1, _id: 1 } }]),
    c.customerEvents.createIndexes([{ name: 'by-session', key: { sessionKey: 1, created: 1, _id: 1 } }]),
    c.sessions.createIndexes([
      { name: 'by-lead', key: { vendorId: 1, lead: 1, created: 1 } },
      // Analytics go through all of a vendor's in pages, also of those of one instant: hence `_id` (store/analytics/record-pages).
      { name: 'by-time', key: { vendorId: 1, chatted: 1, created: 1, _id: 1 } }
    ]),
    c.orders.createIndexes([
      { name: 'by-time', key: { vendorId: 1, created: 1, _id: 1 } },
      { name: 'by-attribution-and-time', key: { vendorId: 1, attributed: 1, created: 1, _id: 1 } },
      { name: 'by-session', key: { sessionKey: 1, created: 1, _id: 1 } },
      { name: 'by-conversation', key: { conversationKey: 1 } }
    ]),
    c.surveys.createIndexes([{ name: 'by-conversation', key: { conversationKey: 1 } }]),
    c.daySums.createIndexes([{ name: 'by-block', key: { vendorId: 1, kind: 1, block: 1 } }]),
    c.smartTags.createIndexes([{ name: 'by-vendor', key: { vendorId: 1, deletedAt: 1 } }]),
    c.sizeCharts.createIndexes([
      { name: 'by-external-id', key: { vendorId: 1, externalId: 1 }, unique: true },
      { name: 'by-name', key: { vendorId: 1, nameKey: 1, externalId: 1 } },
      { name: 'by-status', key: { status: 1, vendorId: 1 } },
      { name: 'by-pdf', key: { 'pdf.fileId': 1 } }
    ]),
    c.sizeChartPdfFiles.createIndexes([{ name: 'by-vendor', key: { 'metadata.vendorId': 1 } }])
  ])
}
