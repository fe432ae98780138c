/** The inside of a thread that answers large requests (see api/large-request-threads): GraphQL over a database connection of its own. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { Readable } from 'node:stream'
import pino from 'pino'
import { createUpsertProducts } from '../../pipelines/product-upsert.js'
import { createLargeRequestApp } from '../api/app.js'
import type { Piece } from '../api/graphql/limits/body-pieces.js'
import { bytesOf, type LargeAnswer, type LargeRequest } from '../api/graphql/limits/large-requests.js'
import type { FromRequest, ToRequest, WakeMessage } from '../api/large-request-threads.js'
import type { ApiSettings, SftpAddress } from '../config.js'
import type { Principal } from '../domain/access.js'
import type { SizeChartQuota } from '../domain/size-chart.js'
import { createImportQueue, type Wake } from '../jobs/import-queue.js'
import { openDatabase } from '../store/database/connection.js'
import { createRepositories } from '../store/repositories.js'
import { createRemoteReadGate, type RemoteReadGate } from '../store/reads/remote-read-gate.js'
import { collectGarbageSoon, heldMegabytes } from '../threads/collect-garbage.js'
import { largeRequestBytes } from '../threads/large-work.js'
import { serveTasks, threadData } from '../threads/serve-tasks.js'
import { lowerOwnPriority } from '../threads/thread-priority.js'
import type { Span } from '../tracing/span.js'
import { createToldSpan } from '../tracing/told-spans.js'

export interface RequestThreadData {
  mongodbUrl: string
  settings: ApiSettings
  publicUrl: string | undefined
  sftpAddress: SftpAddress | null
  sizeChartQuota: SizeChartQuota
  logLevel: string
}

/** As imports (jobs/import-thread): who sends many of them must not leave these a tenth of the cores. Small requests, in the main thread, go before. */
lowerOwnPriority(10)

const { mongodbUrl, settings, publicUrl, sftpAddress, sizeChartQuota, logLevel } = threadData<RequestThreadData>()
const wake = (topic: WakeMessage['topic']): Wake => (vendorId, jobId) => { request().tell({ topic, vendorId, jobId }) }

/** The message lives until the request has been answered; its pieces need not. */
function * taken (pieces: Piece[]): Generator<Piece> {
  for (let piece = pieces.shift(); piece !== undefined; piece = pieces.shift()) yield Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
}

/** The request that is being answered. */
interface RequestInHand { principal: Principal, changedKeys: string[], changedUsers: string[], refusals: string[], reads: RemoteReadGate, span: Span, tell: (message: WakeMessage) => void }
const requests = new AsyncLocalStorage<RequestInHand>()
function request (): RequestInHand {
  const here = requests.getStore()
  if (here === undefined) throw new Error('not within a request')
  return here
}

const log = pino({ name: 'catalog', level: logLevel }, pino.destination({ dest: 1, sync: true }))
const database = openDatabase(mongodbUrl, {
  appName: 'catalog-large-requests',
  readGate: { run: async (owner, shape, command) => await request().reads.run(owner, shape, command) }
})
const repositories = createRepositories(database, sizeChartQuota)
const app = await createLargeRequestApp({
  repositories,
  importQueue: createImportQueue(repositories, wake('imports'), log),
  upsertProducts: createUpsertProducts(database.collections),
  settings,
  sftpAddress,
  wakeConversion: wake('conversions'),
  log,
  authenticator: {
    // Who sends it was found out where it came in.
    recall: () => request().principal,
    authenticate: async () => request().principal,
    isNoGuess: () => true,
    forgetKey (hash) { request().changedKeys.push(hash) },
    forgetUser (id) { request().changedUsers.push(id) },
    close: async () => {}
  }
}, { publicUrl, onRefused: (reason) => { request().refusals.push(reason) }, beginSpan: () => request().span })

/** The thread holds so much that collecting does not keep up: 600 KB of `{},` are 14 MB of objects, five times a second. */
const fullMegabytes = 96
/** What the request before has left is gone. A large one waits for that (two of 16 MiB would lie there else), and where the thread is full any. */
let clean = Promise.resolve()

serveTasks<LargeRequest, LargeAnswer, FromRequest, ToRequest>({
  async run ({ principal, headers, remoteAddress, body, traceparent }, { signal, tell, onTold }) {
    const span = createToldSpan(traceparent, (message) => { tell({ span: message }) })
    const reads = createRemoteReadGate(tell)
    onTold(reads.replied)
    signal.addEventListener('abort', reads.end, { once: true })
    const [changedKeys, changedUsers, refusals]: [string[], string[], string[]] = [[], [], []]
    const bytes = bytesOf(body)
    const ofBody = { 'content-length': String(bytes) }
    try {
      if (bytes > largeRequestBytes || heldMegabytes() > fullMegabytes) await clean
      const response = await requests.run({ principal, changedKeys, changedUsers, refusals, reads, span, tell }, async () =>
        await app.inject({ method: 'POST', url: '/graphql', headers: { ...headers, ...ofBody }, remoteAddress, payload: Readable.from(taken(body)) }))
      return { status: response.statusCode, body: response.rawPayload, changedKeys, changedUsers, refusals }
    } finally {
      reads.end()
      clean = collectGarbageSoon()
    }
  },
  async close () {
    await app.close()
    await database.close()
  }
})
