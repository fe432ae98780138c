/** An API over a database of its own, with hand-written stand-ins for what lies outside of it. */
import { SignJWT } from 'jose'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { Registry } from 'prom-client'
import type { Test } from 'tap'
import { createApp } from '../../../src/api/app.js'
import { createTokenVerifier } from '../../../src/api/auth/token-verifier.js'
import type { AppDependencies, AppOptions } from '../../../src/api/dependencies.js'
import { loadConfig, type ApiSettings } from '../../../src/config.js'
import type { Membership, Permission } from '../../../src/domain/access.js'
import { emptyStats } from '../../../src/domain/import-job.js'
import { createImportQueue } from '../../../src/jobs/import-queue.js'
import type { Database } from '../../../src/store/database/connection.js'
import type { ReadGate } from '../../../src/store/reads/read-gate.js'
import type { Repositories } from '../../../src/store/repositories.js'
import { testDatabase, type TestDatabase } from '../../support/database.js'
import { silent } from '../../support/log.js'
import { memoryUploads } from '../../support/memory-files.js'

export interface TestApi extends Pick<TestDatabase, 'database' | 'repositories'> {
  app: FastifyInstance
  database: Database
  repositories: Repositories
  /** Registers the vendor if need be and gives a key of it. */
  keyOf (vendorId: string, permissions?: Permission[]): Promise<string>
  graphql (key: string | null, query: string, variables?: object): Promise<GraphqlAnswer>
  /** The same with any headers. */
  send (headers: Record<string, string>, query: string, variables?: object): Promise<GraphqlAnswer>
  /** Registers a user of these vendors, which exist; gives an access token of it. */
  tokenOf (userId: string, memberships: Membership[]): Promise<string>
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
  repositories?: (real: Repositories, database: Database) => Repositories
  /** In the place of the database's own. */
  readGate?: ReadGate
  settings?: Partial<ApiSettings>
  dependencies?: Partial<AppDependencies>
}

export async function testApi (t: Test, options: TestApiOptions = {}): Promise<TestApi> {
  const { database, repositories: real } = await testDatabase(t, options)
  const repositories = options.repositories?.(real, database) ?? real
  const app = await testApp(t, repositories, options)

  async function send (headers: Record<string, string>, query: string, variables?: object): Promise<GraphqlAnswer> {
    const payload = variables === undefined ? { query } : { query, variables }
    return answerOf(await app.inject({ method: 'POST', url: '/graphql', headers, payload }))
  }

  return {
    app,
    database,
    repositories: real,
    async keyOf (vendorId, permissions = ['PRODUCT_MANAGE']) {
      if (await real.vendors.find(vendorId) === null) await real.vendors.create(vendorId, vendorId)
      return (await real.integrationApiKeys.create(vendorId, 'test', permissions)).key
    },
    send,
    graphql: async (key, query, variables) => await send(key === null ? {} : { 'x-vendor-api-key': key }, query, variables),
    async tokenOf (userId, memberships) {
      await real.users.create(userId, `${userId}@example.com`, memberships)
      return await accessToken(userId)
    },
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

/** What verifies access tokens here. */
export const tokenSecret = 'a secret that only the tests know of'

/** As in production, but for the console, which is bundled by another build. */
const defaultSettings = { ...loadConfig({}).api, console: false }

export async function accessToken (userId: string, { secret = tokenSecret, expiresIn = '1h' }: { secret?: string, expiresIn?: string } = {}): Promise<string> {
  return await new SignJWT().setProtectedHeader({ alg: 'HS256' }).setSubject(userId).setIssuedAt().setExpirationTime(expiresIn).sign(new TextEncoder().encode(secret))
}

/** The API alone, for tests that need no database. */
export async function testApp (t: Test, repositories: Repositories, { dependencies, settings, repositories: _, readGate: __, ...options }: TestApiOptions = {}): Promise<FastifyInstance> {
  const app = await createApp({
    repositories,
    importQueue: createImportQueue(repositories, () => {}, silent),
    answerLarge: null,
    files: memoryUploads(),
    redeemConsoleLink: null,
    operatorId: null,
    sftpAddress: null,
    upsertProducts: async () => { throw new Error('not expected in this test') },
    verifyToken: createTokenVerifier({ keys: { secret: tokenSecret }, issuer: undefined, audience: undefined, maxAgeSeconds: 3_600 }),
    settings: { ...defaultSettings, ...settings },
    wakeConversion: () => {},
    checks: { database: async () => {}, queue: async () => {}, files: async () => {} },
    log: silent,
    metrics: new Registry(),
    ...dependencies
    // The event loop is the test's own, and the machine may be busy with others.
  }, { maxEventLoopDelayMs: 0, ...options })
  t.teardown(async () => { await app.close() })
  return app
}

export function answerOf (response: LightMyRequestResponse): GraphqlAnswer {
  const { data, errors } = response.json<Omit<GraphqlAnswer, 'status'>>()
  return { status: response.statusCode, data, errors }
}
