/** The inside of the thread that answers large requests (see api/large-request-thread): GraphQL over a database connection of its own. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { parentPort, workerData } from 'node:worker_threads'
import pino from 'pino'
import { createUpsertProducts } from '../../pipelines/product-upsert.js'
import { createLargeRequestApp } from '../api/app.js'
import type { LargeAnswer, LargeRequest } from '../api/graphql/large-requests.js'
import type { FromRequestThread, ToRequestThread } from '../api/large-request-thread.js'
import type { ApiSettings } from '../config.js'
import type { Principal } from '../domain/access.js'
import type { SizeChartQuota } from '../domain/size-chart.js'
import { createImportQueue, type Wake } from '../jobs/import-queue.js'
import { openDatabase } from '../store/connection.js'
import { createRepositories } from '../store/repositories.js'

export interface RequestThreadData {
  mongodbUrl: string
  settings: ApiSettings
  publicUrl: string | undefined
  sizeChartQuota: SizeChartQuota
  logLevel: string
}

const port = parentPort
if (port === null) throw new Error('request-thread is run by api/large-request-thread only')
const { mongodbUrl, settings, publicUrl, sizeChartQuota, logLevel } = workerData as RequestThreadData
const send = (message: FromRequestThread): void => { port.postMessage(message) }
const wake = (topic: 'imports' | 'conversions'): Wake => (vendorId, jobId) => { send({ type: 'wake', topic, vendorId, jobId }) }

/** The request that is being answered. */
const requests = new AsyncLocalStorage<{ principal: Principal, changedKeys: string[] }>()
function request (): { principal: Principal, changedKeys: string[] } {
  const here = requests.getStore()
  if (here === undefined) throw new Error('not within a request')
  return here
}

const log = pino({ name: 'catalog', level: logLevel }, pino.destination({ dest: 1, sync: true }))
const database = openDatabase(mongodbUrl, { appName: 'catalog-large-requests' })
const repositories = createRepositories(database, sizeChartQuota)
const app = await createLargeRequestApp({
  repositories,
  importQueue: createImportQueue(repositories, wake('imports'), log),
  upsertProducts: createUpsertProducts(database.collections),
  settings,
  wakeConversion: wake('conversions'),
  log,
  authenticator: {
    // Who sends it was found out where it came in.
    authenticate: async () => request().principal,
    isNoGuess: () => true,
    forgetKey (hash) { request().changedKeys.push(hash) },
    close: async () => {}
  }
}, { publicUrl })

async function answer ({ principal, headers, remoteAddress, body }: LargeRequest): Promise<LargeAnswer> {
  const changedKeys: string[] = []
  const payload = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const response = await requests.run({ principal, changedKeys }, async () =>
    await app.inject({ method: 'POST', url: '/graphql', headers, remoteAddress, payload }))
  return { status: response.statusCode, body: response.rawPayload, changedKeys }
}

const running = new Set<Promise<void>>()

async function reply (message: LargeRequest & { id: number }): Promise<void> {
  const { id } = message
  try {
    send({ type: 'answer', id, answer: await answer(message) })
  } catch (error) {
    const { message, stack } = error instanceof Error ? error : new Error(String(error))
    send({ type: 'broke', id, error: Object.assign(new Error(message), { stack }) })
  }
}

async function close (): Promise<void> {
  await Promise.all(running)
  await app.close()
  await database.close()
  port?.close()
}

port.on('message', (message: ToRequestThread) => {
  if (message.type === 'close') {
    void close()
    return
  }
  const replied = reply(message).finally(() => { running.delete(replied) })
  running.add(replied)
})
