/** GET /healthz: the process is up. GET /readyz: so is what it depends on, and it is not about to end (spec/operations.md). */
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger, FastifyInstance, onRequestHookHandler } from 'fastify'
import type { AppDependencies } from './dependencies.js'
import { neverShed } from './load-shedding.js'
import { createRemembered } from './remembered.js'

const checkTimeoutMs = 2_000
/** How old an answer may be: a probe asks every few seconds, and a flood does not reach the database. */
const rememberedMs = 1_000

interface HealthOptions {
  checks: Partial<AppDependencies['checks']>
  /** Whether /readyz names the parts, or says only whether all are there. */
  tellParts: boolean
  /** Aborted when the process is about to end. */
  closing: AbortSignal | undefined
  /** In front of /readyz. */
  onRequest?: onRequestHookHandler[]
}

interface Readiness {
  isReady: boolean
  checks: Record<string, 'ok' | 'unavailable'>
}

export function registerHealthRoutes (app: FastifyInstance, { checks, tellParts, closing, onRequest = [] }: HealthOptions): void {
  const options = { logLevel: 'warn', config: neverShed } as const

  app.get('/healthz', options, async () => ({ status: 'ok' }))

  const readiness = createRemembered(async (): Promise<Readiness> => {
    const found = await checkParts(checks, app.log)
    return { isReady: Object.values(found).every((result) => result === 'ok'), checks: found }
  }, { forMs: rememberedMs })

  app.get('/readyz', { ...options, onRequest }, async (_request, reply) => {
    if (closing?.aborted === true) return await reply.code(503).send({ status: 'draining' })
    const { isReady, checks } = await readiness()
    return await reply.code(isReady ? 200 : 503)
      .send({ status: isReady ? 'ready' : 'unavailable', ...tellParts ? { checks } : {} })
  })
}

/** By name. */
export async function checkParts (checks: HealthOptions['checks'], log: FastifyBaseLogger): Promise<Readiness['checks']> {
  return Object.fromEntries(await Promise.all(Object.entries(checks).map(async ([name, check]) => {
    try {
      await within(checkTimeoutMs, check)
      return [name, 'ok'] as const
    } catch (error) {
      log.warn({ err: error, check: name }, 'not ready')
      return [name, 'unavailable'] as const
    }
  })))
}

async function within (timeoutMs: number, check: () => Promise<void>): Promise<void> {
  const over = new AbortController()
  const timeout = async (): Promise<never> => {
    await delay(timeoutMs, undefined, { signal: over.signal })
    throw new Error(`no answer within ${timeoutMs} ms`)
  }
  try {
    await Promise.race([check(), timeout()])
  } finally {
    over.abort()
  }
}
