/** Refuses requests that this process could only answer late, before they cost anything. */
import { getHeapStatistics } from 'node:v8'
import underPressure from '@fastify/under-pressure'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../errors.js'

/**
 * Mean delay over a second. A worker in the same process delays the loop by some tens of milliseconds, which is no
 * reason to refuse; event loop utilisation is not looked at for the same reason.
 */
const defaultMaxEventLoopDelayMs = 1_000
const maxHeapShare = 0.92

class OverloadError extends AppError {
  constructor () {
    super('retryable', 'SERVICE_UNAVAILABLE', 'The service is overloaded; try again later')
  }
}

export async function registerLoadShedding (app: FastifyInstance, maxEventLoopDelayMs = defaultMaxEventLoopDelayMs): Promise<void> {
  await app.register(underPressure, {
    maxEventLoopDelay: maxEventLoopDelayMs,
    maxHeapUsedBytes: Math.floor(getHeapStatistics().heap_size_limit * maxHeapShare),
    customError: OverloadError
  })
}

/** For routes that operators need most when the load is high: neither shed nor counted with other requests. */
export const neverShed = { pressureHandler: () => { /* goes on */ }, rateLimit: false } as const
