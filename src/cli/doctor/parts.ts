/** What the checks look at, opened when the first of them asks: a part that cannot be opened fails that check, and no other. */
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../../config.js'
import { serviceUser } from '../../domain/access.js'
import type { EmbeddedParts } from '../../embedded/embedded-parts.js'
import type { SftpFilesOptions } from '../../sources/sftp-files.js'
import type { Database } from '../../store/database/connection.js'

export interface DoctorParts {
  config: Config
  log: Logger
  /** Rejects where there is none to open. Does not wait for it. */
  database (): Promise<Database>
  /** How many vendors there are, and one of them; undefined where the database does not say. */
  vendors (): Promise<{ count: number, one: string | undefined } | undefined>
  /** undefined: the embedded one, of a service that does not run. */
  kafkaBrokers (): Promise<string | undefined>
  /** undefined: the built-in server, of a service that does not run. */
  sftp (): Promise<Omit<SftpFilesOptions, 'log'> | undefined>
  close (): Promise<void>
}

export function openDoctorParts (config: Config, log: Logger): DoctorParts {
  const embedded = once(async (): Promise<EmbeddedParts> => {
    const { startEmbeddedParts } = await import('../../embedded/embedded-parts.js')
    return await startEmbeddedParts({ config, log, parts: { mongodb: config.mongodbUrl === undefined, kafka: false, topics: [] } })
  })
  const database = once(async (): Promise<Database> => {
    const { openDatabase } = await import('../../store/database/connection.js')
    const url = config.mongodbUrl ?? (await embedded.get()).mongodbUrl
    if (url === undefined) throw new Error('the embedded database has no address')
    return openDatabase(url, { appName: 'catalog-doctor', urlVariable: config.mongodbUrlVariable, maxPoolSize: 5 })
  })
  const vendors = once(async () => {
    const { collections: { vendors } } = await database.get()
    const [count, one] = await Promise.all([vendors.countDocuments(), vendors.findOne({}, { sort: { _id: 1 } })])
    return { count, one: one?._id }
  })
  const address = async (name: string): Promise<string | undefined> => (await (await embedded.get()).addresses())[name]
  return {
    config,
    log,
    database: database.get,
    vendors: async () => await vendors.get().catch(() => undefined),
    kafkaBrokers: async () => config.kafka.brokers ?? await address('kafka'),
    async sftp () {
      const { sftpUrl: url, sftpPrivateKeyFile: privateKeyFile, sftpHostKeys: hostKeys } = config
      if (url !== undefined && privateKeyFile !== undefined && hostKeys !== undefined) return { url, privateKeyFile, hostKeys }
      const builtIn = await address('sftp')
      const folder = join(config.dataDir, 'sftp')
      return builtIn === undefined
        ? undefined
        : { url: `sftp://${serviceUser}@${builtIn}/{vendorId}`, privateKeyFile: join(folder, 'service_key'), hostKeys: { knownHostsFile: join(folder, 'known_hosts') } }
    },
    async close () {
      await (await database.begun())?.close()
      await (await embedded.begun())?.close()
    }
  }
}

interface Once<T> {
  get: () => Promise<T>
  /** What there is by now, or is about to be. */
  begun: () => Promise<T | undefined>
}

function once<T> (open: () => Promise<T>): Once<T> {
  let opening: Promise<T> | undefined
  return {
    get: async () => await (opening ??= open()),
    begun: async () => await opening?.catch(() => undefined)
  }
}
