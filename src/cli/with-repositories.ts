/** The repositories for the time of one command, over a database that is as this version expects it (MIGRATE). */
import type { Repositories } from '../store/repositories.js'
import type { CliContext } from './context.js'
import { withDatabase } from './with-database.js'

/** Calls `work` with the repositories and closes everything afterwards. A database that is away is SERVICE_UNAVAILABLE, and so is one that is behind. */
export async function withRepositories<T> (context: CliContext, work: (repositories: Repositories) => Promise<T>): Promise<T> {
  return await withDatabase(context, async ({ database, config, log }) => {
    const [{ prepareDatabase }, { createRepositories }] = await Promise.all([import('../store/migrate.js'), import('../store/repositories.js')])
    await prepareDatabase(database, config.migrate, log)
    return await work(createRepositories(database))
  })
}
