/** The inside of the thread that answers large requests (see api/large-request-thread): GraphQL over a database connection of its own. */
import { parentPort, workerData } from 'node:worker_threads'
import pino from 'pino'
import { createUpsertProducts } from '../../pipelines/product-upsert.js'
import { createLargeRequestApp } from '../api/app.js'
import type { FromRequestThread, ToRequestThread } from '../api/large-request-thread.js'
import type { Config } from '../config.js'
import { createImportQueue, type Wake } from '../jobs/import-queue.js'
import { openDatabase } from '../store/connection.js'
import { createRepositories } from '../store/repositories.js'
import { createVerifyToken } from './verify-token.js'

export interface RequestThreadData {
  config: Config
  mongodbUrl: string
}

const port = parentPort
if (port === null) throw new Error('request-thread is run by api/large-request-thread only')
const { config, mongodbUrl } = workerData as RequestThreadData
const send = (message: FromRequestThread): void => { port.postMessage(message) }
const wake = (topic: 'imports' | 'conversions'): Wake => (vendorId, jobId) => { send({ type: 'wake', topic, vendorId, jobId }) }

const log = pino({ name: 'catalog', level: config.logLevel }, pino.destination({ dest: 1, sync: true }))
const database = openDatabase(mongodbUrl, { appName: 'catalog-large-requests' })
const repositories = createRepositories(database)
const app = await createLargeRequestApp({
  repositories,
  importQueue: createImportQueue(repositories, wake('imports'), log),
  upsertProducts: createUpsertProducts(database.collections),
  verifyToken: await createVerifyToken(config),
  settings: config.api,
  wakeConversion: wake('conversions'),
  log
}, { publicUrl: config.publicUrl })

async function answer ({ id, headers, remoteAddress, body }: Extract<ToRequestThread, { type: 'request' }>): Promise<FromRequestThread> {
  try {
    const payload = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
    const { statusCode, headers: { 'content-type': contentType }, rawPayload } = await app.inject({ method: 'POST', url: '/graphql', headers, remoteAddress, payload })
    return { type: 'answer', id, answer: { status: statusCode, contentType: String(contentType), body: rawPayload } }
  } catch (error) {
    return { type: 'broke', id, error: error instanceof Error ? error : new Error(String(error)) }
  }
}

port.on('message', (message: ToRequestThread) => {
  if (message.type === 'request') void answer(message).then(send)
  else void app.close().then(database.close).finally(() => { port.close() })
})
