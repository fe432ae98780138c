/** An API over a database of its own, with hand-written stand-ins for what lies outside of it. */
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import pino, { type Logger } from 'pino'
import { Registry } from 'prom-client'
import type { Test } from 'tap'
import { createApp } from '../../../src/api/app.js'
import type { AppDependencies, AppOptions } from '../../../src/api/dependencies.js'
import type { Permission } from '../../../src/domain/access.js'
import { emptyStats } from '../../../src/domain/import-job.js'
import { createImportQueue } from '../../../src/jobs/import-queue.js'
import type { Repositories } from '../../../src/store/repositories.js'
import { testDatabase, type TestDatabase } from '../../support/database.js'

export interface TestApi extends Pick<TestDatabase, 'database' | 'repositories'> {
  app: FastifyInstance
  /** Registers the vendor if need be and gives a key of it. */
  keyOf (vendorId: string, permissions?: Permission[]): Promise<string>
  graphql (key: string | null, query: string, variables?: object): Promise<GraphqlAnswer>
  /** A job that waits in the vendor's queue. */
  startJob (vendorId: string): Promise<string>
  endJob (vendorId: string, jobId: string): Promise<void>
}

export interface GraphqlAnswer {
  status: number
  // The tests say what they expect in here.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  data: any
  errors: Array<{ message: string, path?: Array<string | number>, extensions: { code: string, field?: string } }> | undefined
}

export interface TestApiOptions extends AppOptions {
  /** Puts stand-ins in the place of repositories. */
  repositories?: (real: Repositories) => Repositories
  dependencies?: Partial<AppDependencies>
}

export async function testApi (t: Test, options: TestApiOptions = {}): Promise<TestApi> {
  const { database, repositories: real } = await testDatabase(t)
  const repositories = options.repositories?.(real) ?? real
  const app = await testApp(t, repositories, options)

  return {
    app,
    database,
    repositories: real,
    async keyOf (vendorId, permissions = ['PRODUCT_MANAGE']) {
      if (await real.vendors.find(vendorId) === null) await real.vendors.create(vendorId, vendorId)
      return (await real.integrationApiKeys.create(vendorId, 'test', permissions)).key
    },
    graphql: async (key, query, variables) => answerOf(await app.inject({
      method: 'POST',
      url: '/graphql',
      headers: key === null ? {} : { 'x-vendor-api-key': key },
      payload: variables === undefined ? { query } : { query, variables }
    })),
    async startJob (vendorId) {
      const queue = createImportQueue(real, () => {}, silent)
      const job = await queue.start(vendorId, { files: ['a.jsonl'], mode: 'UPDATE', dryRun: false, maxArchivePercent: null }, null)
      return job._id
    },
    async endJob (vendorId, jobId) {
      const attempt = (await real.importJobs.find(vendorId, jobId))?.attempt ?? 0
      await real.importJobs.end(vendorId, jobId, attempt, 'completed', { ...emptyStats(), productsProcessed: 3, productsCreated: 3 })
    }
  }
}

const silent: Logger = pino({ level: 'silent' })

/** The API alone, for tests that need no database. */
export async function testApp (t: Test, repositories: Repositories, { dependencies, repositories: _, ...options }: TestApiOptions = {}): Promise<FastifyInstance> {
  const app = await createApp({
    repositories,
    importQueue: createImportQueue(repositories, () => {}, silent),
    upsertProducts: async () => { throw new Error('not expected in this test') },
    checks: { database: async () => {}, queue: async () => {}, files: async () => {} },
    log: silent,
    metrics: new Registry(),
    ...dependencies
  }, options)
  t.teardown(async () => { await app.close() })
  return app
}

export function answerOf (response: LightMyRequestResponse): GraphqlAnswer {
  const { data, errors } = response.json<Omit<GraphqlAnswer, 'status'>>()
  return { status: response.statusCode, data, errors }
}

/** A log that keeps its lines. */
export function recordingLog (): { log: Logger, lines: Array<Record<string, unknown>> } {
  const lines: Array<Record<string, unknown>> = []
  const log = pino({ level: 'debug' }, { write: (line: string) => { lines.push(JSON.parse(line) as Record<string, unknown>) } })
  return { log, lines }
}
