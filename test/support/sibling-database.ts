/** More databases on a test's server: a server of its own for each would cost seconds. */
import type { Test } from 'tap'
import { openDatabase, type OpenOptions } from '../../src/store/database/connection.js'
import { migrate } from '../../src/store/migrate.js'
import { createRepositories } from '../../src/store/repositories.js'
import type { TestDatabase } from './database.js'
import { silent } from './log.js'
import { ownDatabaseName } from './own-names.js'
import { withDatabase } from './service-process.js'

export async function siblingDatabase (t: Test, { url: known }: Pick<TestDatabase, 'url'>, options: Pick<OpenOptions, 'serverProfile'> = {}): Promise<TestDatabase> {
  const url = withDatabase(known, ownDatabaseName('test'))
  const database = openDatabase(url, { appName: 'catalog-test', ...options })
  t.teardown(async () => {
    await database.db.dropDatabase()
    await database.close()
  })
  await migrate(database, silent)
  return { url, database, repositories: createRepositories(database) }
}

/** The same server, whose commands the client tells of. */
export const monitored = ({ url }: Pick<TestDatabase, 'url'>): Pick<TestDatabase, 'url'> => ({ url: `${url}${url.includes('?') ? '&' : '?'}monitorCommands=true` })
