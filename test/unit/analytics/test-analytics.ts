/** An API with a small vendor whose records a test names itself. */
import type { Test } from 'tap'
import type { Permission } from '../../../src/domain/access.js'
import type { RecordKind } from '../../../src/domain/analytics/records.js'
import { analyticsPermissions, writeRecords } from '../../support/analytics-check.js'
import { testApi, type GraphqlAnswer, type TestApi } from '../api/test-api.js'

export interface TestAnalytics extends TestApi {
  write (vendorId: string, kind: RecordKind, rows: unknown[]): Promise<void>
  /** As a caller of the vendor with these permissions; all of analytics by default. */
  ask (vendorId: string, query: string, variables?: object, permissions?: Permission[]): Promise<GraphqlAnswer>
}

export async function testAnalytics (t: Test): Promise<TestAnalytics> {
  const api = await testApi(t)
  const keys = new Map<string, string>()
  return {
    ...api,
    write: async (vendorId, kind, rows) => { await writeRecords(api.repositories.analytics.writer, vendorId, kind, rows) },
    async ask (vendorId, query, variables, permissions = analyticsPermissions) {
      const name = `${vendorId} ${permissions.join()}`
      const key = keys.get(name) ?? await api.keyOf(vendorId, permissions)
      keys.set(name, key)
      return await api.graphql(key, query, variables)
    }
  }
}

export const conversation = (id: string, created: string, more: object = {}) => ({ id, status: 'OPEN', channel: 'ServiceChat', created, ...more })
