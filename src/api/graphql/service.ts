/** What the service as a whole is at, for whoever runs it (auth/operator.ts). */
import type { FastifyBaseLogger } from 'fastify'
import type { Principal } from '../../domain/access.js'
import type { Repositories } from '../../store/repositories.js'
import type { AppDependencies } from '../dependencies.js'
import { checkParts } from '../health.js'
import type { ServiceState } from './generated.js'

const [maxWorkers, maxLanes] = [100, 100]
const hourMs = 60 * 60 * 1_000

interface Dependencies {
  repositories: Pick<Repositories, 'lanes' | 'workers' | 'importJobs'>
  checks: Partial<AppDependencies['checks']>
  log: FastifyBaseLogger
}

export function createServiceResolvers ({ repositories: { lanes, workers, importJobs }, checks, log }: Dependencies) {
  async function service (_principal: Principal): Promise<ServiceState> {
    const [parts, backlog, alive, active, lastHour] = await Promise.all([
      checkParts(checks, log), lanes.backlog(), workers.list(maxWorkers), lanes.active(maxLanes), importJobs.endedSince(new Date(Date.now() - hourMs))
    ])
    const progress = await importJobs.progressOf(active.flatMap(({ running }) => running?.job.jobId ?? []))
    return {
      parts: Object.entries(parts).map(([name, state]) => ({ name, isAvailable: state === 'ok' })),
      workers: alive.map(({ _id, heartbeatAt }) => ({ id: _id, heartbeatAt })),
      ...backlog,
      lanes: active.map(({ _id, queue, running }) => ({
        vendorId: _id,
        queued: queue.length,
        running: running === null
          ? null
          : { jobId: running.job.jobId, attempt: running.attempt, workerId: running.owner, startedAt: null, linesRead: 0, ...progress.get(running.job.jobId) }
      })),
      lastHour
    }
  }

  return { ofPrincipal: { Query: { service } } }
}
