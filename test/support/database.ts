/**
 * A database of its own for each test file. `TEST_MONGODB_URL` names a server to use (the service tests do), or
 * `TEST_SHARED_MONGODB_URL` (`npm test` does); without them, as when one file is run alone, it starts one for itself.
 */
import { randomBytes } from 'node:crypto'
import type { Test } from 'tap'
import { openDatabase, type Database } from '../../src/store/connection.js'
import { ensureIndexes } from '../../src/store/indexes.js'
import { createRepositories, type Repositories } from '../../src/store/repositories.js'
import { startTestServer } from './test-server.js'

export interface TestDatabase {
  /** Names the database too. */
  url: string
  database: Database
  repositories: Repositories
}

export async function testDatabase (t: Test): Promise<TestDatabase> {
  const url = withDatabase(await serverUrl(t), `test_${randomBytes(6).toString('hex')}`)
  const database = openDatabase(url, { appName: 'catalog-test' })
  await ensureIndexes(database.collections)
  t.teardown(async () => {
    await database.db.dropDatabase()
    await database.close()
  })
  return { url, database, repositories: createRepositories(database) }
}

async function serverUrl (t: Test): Promise<string> {
  const given = process.env['TEST_MONGODB_URL'] ?? process.env['TEST_SHARED_MONGODB_URL']
  if (given !== undefined) return given
  const server = await startTestServer()
  // Registered first, so run last: tap runs teardowns in reverse order.
  t.teardown(server.stop)
  return server.url
}

function withDatabase (url: string, name: string): string {
  const [address = '', query] = url.split('?')
  const server = address.replace(/^(mongodb(?:\+srv)?:\/\/[^/]+).*$/, '$1')
  return `${server}/${name}${query === undefined ? '' : `?${query}`}`
}
