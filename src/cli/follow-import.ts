/**
 * Watches an import until it has ended. A service that is away for a while (a restart, a deployment) is waited for: the
 * job goes on without anyone watching it.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { CliError } from './cli-error.js'
import { ApiAwayError, type ImportApi, type RemoteImport, type RemoteProgress } from './import-api.js'

export interface FollowOptions {
  signal: AbortSignal
  /** `progress` is null while it is not known. */
  onUpdate: (job: RemoteImport, progress: RemoteProgress | null) => void
  /** The service is away; it is being waited for. */
  onAway?: (error: ApiAwayError) => void
  /** The pause between two looks grows from the first to the last. */
  firstPauseMs?: number
  lastPauseMs?: number
  /** How long the service may be away at a stretch. */
  patienceMs?: number
}

const growth = 1.2

/** Resolves with the job as it ended. Throws CliError when the service stays away, refuses, or when interrupted. */
export async function followImport (api: ImportApi, jobId: string, options: FollowOptions): Promise<RemoteImport> {
  const { signal, onUpdate, onAway, firstPauseMs = 500, lastPauseMs = 5_000, patienceMs = 120_000 } = options
  let pauseMs = firstPauseMs
  let awaySince: number | null = null
  try {
    for (;;) {
      try {
        const job = await api.find(jobId)
        awaySince = null
        if (job.status === 'completed' || job.status === 'failed') return job
        onUpdate(job, job.status === 'processing' ? await progressOf(api, jobId) : null)
      } catch (error) {
        if (!(error instanceof ApiAwayError)) throw error
        awaySince ??= performance.now()
        if (performance.now() - awaySince > patienceMs) {
          throw new CliError(`${error.message}; given up after ${Math.round(patienceMs / 1_000)} s, import ${jobId} may still be running`, { cause: error })
        }
        onAway?.(error)
      }
      await sleep(pauseMs, undefined, { signal })
      pauseMs = Math.min(pauseMs * growth, lastPauseMs)
    }
  } catch (error) {
    if (signal.aborted) throw new CliError(`Interrupted: import ${jobId} goes on without being watched`, { cause: error })
    throw error
  }
}

/** Progress is an extra: a key that may not ask, or a service without it, must not end the watching. */
async function progressOf (api: ImportApi, jobId: string): Promise<RemoteProgress | null> {
  try {
    return await api.progress(jobId)
  } catch (error) {
    if (error instanceof CliError && !(error instanceof ApiAwayError)) return null
    throw error
  }
}
