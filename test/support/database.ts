/**
 * A database of its own for each test file. `TEST_MONGODB_URL` names a server to use (`npm test` and the service tests do);
 * without it an embedded one is started in a temporary folder, exactly as `npm start` does it.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { openDatabase, type Database } from '../../src/store/database/connection.js'
import { migrate } from '../../src/store/migrate.js'
import { createReadGate, type ReadGate } from '../../src/store/reads/read-gate.js'
import { createRepositories, type Repositories } from '../../src/store/repositories.js'
import { ownDatabaseName } from './own-names.js'
import { startTestServer } from './test-server.js'
import { silent } from './log.js'

export interface TestDatabase {
  /** Names the database too. */
  url: string
  database: Database
  repositories: Repositories
}

export async function testDatabase (t: Test, { readGate = createReadGate() }: { readGate?: ReadGate | undefined } = {}): Promise<TestDatabase> {
  const url = withDatabase(await serverUrl(t), ownDatabaseName('test'))
  const database = openDatabase(url, { appName: 'catalog-test', readGate })
  await migrate(database, silent)
  t.teardown(async () => {
    await database.db.dropDatabase()
    await database.close()
  })
  return { url, database, repositories: createRepositories(database) }
}

async function serverUrl (t: Test): Promise<string> {
  const given = process.env['TEST_MONGODB_URL']
  if (given !== undefined) return given
  const dataDir = await mkdtemp(join(tmpdir(), 'catalog-test-'))
  const parts = await startTestServer(dataDir, silent)
  // Registered first, so run last: tap runs teardowns in reverse order.
  t.teardown(async () => {
    await parts.close()
    await rm(dataDir, { recursive: true, force: true })
  })
  if (parts.mongodbUrl === undefined) throw new Error('the embedded database has no address')
  return parts.mongodbUrl
}

function withDatabase (url: string, name: string): string {
  const [address = '', query] = url.split('?')
  const server = address.replace(/^(mongodb(?:\+srv)?:\/\/[^/]+).*$/, '$1')
  return `${server}/${name}${query === undefined ? '' : `?${query}`}`
}
