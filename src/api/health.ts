/** GET /healthz: the process is up. GET /readyz: so is what it depends on (spec/operations.md). */
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { AppDependencies } from './dependencies.js'
import { neverShed } from './load-shedding.js'

const checkTimeoutMs = 2_000

export function registerHealthRoutes (app: FastifyInstance, checks: Partial<AppDependencies['checks']>): void {
  const options = { logLevel: 'warn', config: neverShed } as const

  app.get('/healthz', options, async () => ({ status: 'ok' }))

  app.get('/readyz', options, async (request, reply) => {
    const results = await Promise.all(Object.entries(checks).map(async ([name, check]) => {
      try {
        await within(checkTimeoutMs, check)
        return [name, 'ok'] as const
      } catch (error) {
        request.log.warn({ err: error, check: name }, 'not ready')
        return [name, 'unavailable'] as const
      }
    }))
    const isReady = results.every(([, result]) => result === 'ok')
    return await reply.code(isReady ? 200 : 503)
      .send({ status: isReady ? 'ready' : 'unavailable', checks: Object.fromEntries(results) })
  })
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
