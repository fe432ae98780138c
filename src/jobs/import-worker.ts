/**
 * The worker: drains vendors' lanes, one job of a vendor at a time, vendors side by side.
 *
 * A Kafka message is only a hint that a lane has something; what there is to do is read from the lane (domain/lane.ts), so
 * messages may come twice, late or out of order. `wake` resolves when the lane is empty, and only then is the message's
 * offset committed: a worker that dies leaves its messages to the next.
 *
 *   wake ─▶ claim ─▶ begin ─▶ run ─┬─ completed / failed ─▶ issue, end, release and claim the next in one write ─▶ begin …
 *            │ another worker      ├─ shutting down ──────▶ hand back (no attempt counted)
 *            ▼ has it              ├─ claim lost ─────────▶ nothing: another worker has it
 *          watch its beat          ├─ lost with its thread, another's doing ▶ again, no attempt counted
 *                                  └─ broke ──────────────▶ again, attempt + 1; failed after three
 *
 * From the second attempt on, and where a thread died and nobody knows over whose job, a job runs by itself (jobs/import-threads): what ended one
 * worker, or one thread, does not end the next that takes it.
 */
import { setTimeout as delay } from 'node:timers/promises'
import pLimit from 'p-limit'
import type { Logger } from 'pino'
import { createBoundedMap } from '../domain/bounded-map.js'
import type { ImportJob, ImportProgress, ImportStats } from '../domain/import-job.js'
import { createSpeedSamples, type SpeedSample, type SpeedSamples } from '../domain/import-speed.js'
import { isRetryable } from '../errors.js'
import { markOf, maxAttempts, type Claim, type RunningJob } from '../domain/lane.js'
import { createStandstill } from '../domain/standstill.js'
import type { Reached } from '../store/jobs/import-jobs.js'
import type { ClaimedJob } from '../store/jobs/lanes.js'
import type { Repositories } from '../store/repositories.js'
import { createPatience } from '../store/database/while-away.js'
import { ThreadLost } from '../threads/thread-lost.js'
import { noTracer, type Attributes, type Span, type Tracer } from '../tracing/span.js'
import { createDrains } from './drains.js'
import { jobIssue } from './import-queue.js'
import type { Hint } from './kafka-consumer.js'
import { startBeat, type Rounds } from './rounds.js'
import { cancelledReason, ImportCancelled, type ImportResult, type RunImport } from './run-import.js'

export interface ImportWorkerOptions {
  workerId: string
  repositories: Repositories
  run: RunImport
  /** Jobs are traced by it; without it, none is. */
  tracer?: Tracer
  log: Logger
  /** How often the worker says that it is alive and stores the job's progress. */
  beatMs?: number
  /** How long a beat may stay away before the job is taken from its worker; several beats. */
  leaseMs?: number
}

export interface ImportWorker {
  /** Resolves when nothing is left in the vendor's lane, or the worker shuts down (then it rejects). `hint`: what told of it, whose job goes on with its trace. */
  wake (vendorId: string, hint?: Hint): Promise<void>
  /** Takes no more jobs, hands the running ones back, resolves when all is handed back. */
  stop (): Promise<void>
}

class ShuttingDown extends Error {}
class ClaimLost extends Error {}

/** How far an attempt is, of which its worker says more with each beat. */
interface Course {
  progress: ImportProgress
  /** False while `progress` is that of the attempt before. */
  hasRead: boolean
  speed: SpeedSamples
  startedAtMs: number
}

const courseOf = ({ progress }: ImportJob): Course =>
  ({ progress: progress ?? { bytesRead: 0, bytesTotal: null, linesRead: 0 }, hasRead: false, speed: createSpeedSamples(), startedAtMs: performance.now() })

const sampleOf = ({ progress, startedAtMs }: Course): SpeedSample => ({ ms: Math.round(performance.now() - startedAtMs), linesRead: progress.linesRead })

function endOf (course: Course): Reached {
  course.speed.end(sampleOf(course))
  return { progress: course.progress, speed: course.speed.all() }
}

interface Taken extends ClaimedJob {
  /** Its thread died, over this job or one beside it. */
  suspect?: boolean
  /** What the attempt before this one has ended with, where it ended in this process. */
  lost?: ThreadLost
}

const givenUp = (lost: ThreadLost | undefined): string => lost === undefined
  ? `Given up: ${maxAttempts} attempts ended by a crash`
  : `Given up after ${maxAttempts} attempts: the import ${lost.message}`

/** What ended one worker, or one thread, is not to end the next that takes it. */
const runsAlone = ({ claim, suspect = false }: Taken): boolean => suspect || claim.attempt > 1

/** Jobs of this process at a time that run side by side, each of another vendor; a job in flight takes some 10 MB. */
const maxRunningJobs = 32
/** Traces of hints whose jobs have not begun; each is a hundred bytes. The job of one that is forgotten goes on with the trace that it was accepted in. */
const maxTraces = 10_000

export function createImportWorker (options: ImportWorkerOptions): ImportWorker {
  const { workerId, repositories, run, tracer = noTracer, log, beatMs = 1_000, leaseMs = 10_000 } = options
  const { lanes, importJobs, importIssues, searchVocabularies, workers } = repositories
  const stopping = new AbortController()
  const patience = createPatience(stopping.signal, log)
  const slots = pLimit(maxRunningJobs)
  const drains = createDrains(drain)
  /** The traceparent of the hint, by job. */
  const traces = createBoundedMap<string, string>(maxTraces)

  const heartbeat = startBeat(async () => {
    await workers.beat(workerId).catch((error: unknown) => { log.warn({ err: error }, 'heartbeat failed') })
  }, beatMs)

  /**
   * Works the lane until it is empty. A job is claimed only when there is a slot to run it in, and each waits for one anew. One that is to run by itself
   * waits for that without a slot: those that run side by side do not wait for it.
   */
  async function drain (vendorId: string): Promise<void> {
    for (let lost: RunningJob | null = null; ;) {
      const seen: RunningJob | null = lost
      lost = null
      const ran = await slots(async () => {
        const taken = await take(vendorId, seen)
        return taken === null || taken === 'empty' ? taken : { left: await runTaken(vendorId, taken, (next) => !runsAlone(next)) }
      })
      if (ran === 'empty') return
      if (ran !== null) {
        const left = ran.left === 'empty' || ran.left === null ? ran.left : await runTaken(vendorId, ran.left, () => true)
        if (left === 'empty') return
        continue
      }
      const state = await watch(vendorId)
      if (state === 'empty') return
      if (state !== 'free') lost = state
    }
  }

  /** The lane's next job, or the one of a lost worker; null: another worker has it. */
  async function take (vendorId: string, lost: RunningJob | null): Promise<Taken | 'empty' | null> {
    stopping.signal.throwIfAborted()
    return await patience(async () => {
      // Taken already, and not acknowledged: only one of us drains a lane, so it can be nothing else.
      const lane = await lanes.find(vendorId)
      const { running, queue } = lane
      if (running?.owner === workerId) return { job: running.job, claim: { jobId: running.job.jobId, attempt: running.attempt, owner: workerId }, behind: queue }
      if (running === null && queue.length === 0) return 'empty'
      const taken = lost === null ? null : await lanes.takeOver(vendorId, workerId, lost)
      if (taken === null) return await lanes.claim(vendorId, workerId, lane)
      log.warn({ vendorId, jobId: taken.job.jobId, attempt: taken.claim.attempt, lost: lost?.owner }, 'took over the job of a lost worker')
      return taken
    })
  }

  /** Waits while another worker has the vendor's job; gives the job when that worker is lost. */
  async function watch (vendorId: string): Promise<'empty' | 'free' | RunningJob> {
    const lease = createStandstill(leaseMs)
    for (;;) {
      const { running, queue } = await lease.look(async () => await patience(async () => await lanes.find(vendorId)))
      if (running === null) return queue.length === 0 ? 'empty' : 'free'
      if (running.owner === null || running.owner === workerId) return 'free'
      if (lease.standsStill(running.job.jobId, markOf(running))) return running
      // It looks often, because the other worker may let the lane go at any time.
      await delay(Math.min(beatMs, leaseMs), undefined, { signal: stopping.signal })
    }
  }

  /** Runs the job until it is over, attempt after attempt, and so those that are claimed after it. Gives the attempt that may not run here; 'empty': the lane is. */
  async function runTaken (vendorId: string, first: Taken, mayRun: (taken: Taken) => boolean): Promise<Taken | 'empty' | null> {
    for (let taken = first; ;) {
      if (!mayRun(taken)) return taken
      const { job: queued, claim } = taken
      const job = await patience(async () => await importJobs.begin(vendorId, queued, claim.attempt))
      const next = job === null ? await patience(async () => await letGo(vendorId, taken)) : await attemptJob(job, taken)
      if (next === null || next === 'empty') return next
      taken = next
    }
  }

  /** Lets the lane go, or takes its next job where that may run at once, in this one's place. Nobody else who waits for a slot is kept waiting for that. */
  async function letGo (vendorId: string, taken: Taken): Promise<Taken | 'empty' | null> {
    if (!runsAlone(taken) && slots.pendingCount === 0 && !stopping.signal.aborted) return await lanes.releaseForNext(vendorId, taken.claim, taken.behind)
    await lanes.release(vendorId, taken.claim)
    return null
  }

  /** Runs the job once. Gives the claim for the next attempt when it broke, else what letting go of it has given. */
  async function attemptJob (job: ImportJob, taken: Taken): Promise<Taken | 'empty' | null> {
    const hinted = traces.get(job._id)
    const span = tracer.begin('import', hinted ?? taken.job.traceparent, {
      kind: 'consumer',
      attributes: {
        'catalog.vendor.id': job.vendorId,
        'catalog.job.id': job._id,
        'catalog.import.mode': job.mode,
        'catalog.import.attempt': taken.claim.attempt,
        'catalog.import.run': job.runs,
        'catalog.import.files': job.files.length,
        'catalog.import.dry_run': job.dryRun,
        'catalog.import.alone': runsAlone(taken),
        'catalog.import.hinted': hinted !== undefined
      }
    })
    try {
      const next = await attemptTraced(job, taken, span)
      if (next === null || next === 'empty' || next.job.jobId !== job._id) traces.delete(job._id)
      return next
    } finally {
      span.end()
    }
  }

  async function attemptTraced (job: ImportJob, taken: Taken, span: Span): Promise<Taken | 'empty' | null> {
    const { claim, suspect = false, lost } = taken
    const { vendorId, _id: jobId } = job
    const jobLog = log.child({ vendorId, jobId, attempt: claim.attempt, ...span.names })
    const outcome = (name: string): void => { span.set({ 'catalog.import.outcome': name }) }
    const abort = new AbortController()
    const signal = AbortSignal.any([abort.signal, stopping.signal])
    const course = courseOf(job)
    const heart = beatWhileRunning(vendorId, claim, course, abort, jobLog)
    try {
      if (claim.attempt > maxAttempts) {
        const stats = await patience(async () => await importJobs.tally(vendorId, jobId))
        await heart.stop()
        const next = await end(job, taken, { status: 'failed', stats, reason: givenUp(lost) })
        jobLog.error({ stats }, 'import given up')
        outcome('given up')
        span.fail('given up')
        return next
      }
      jobLog.info({ mode: job.mode, files: job.files }, 'import started')
      const result = await run({ job, attempt: claim.attempt, alone: runsAlone(taken), span, signal, onProgress: (progress) => { Object.assign(course, { progress: { ...progress }, hasRead: true } satisfies Partial<Course>) } })
      await heart.stop()
      const next = await end(job, taken, result, endOf(course))
      jobLog.info({ status: result.status, stats: result.stats }, 'import ended')
      outcome(result.status === 'failed' && result.reason === cancelledReason ? 'cancelled' : result.status)
      span.set(statsOf(result.stats))
      return next
    } catch (error) {
      await heart.stop()
      const reason: unknown = signal.aborted ? signal.reason : error
      if (reason instanceof ShuttingDown) {
        await lanes.handBack(vendorId, claim)
        jobLog.info('import handed back')
        outcome('handed back')
        throw reason
      }
      if (reason instanceof ClaimLost) {
        jobLog.warn('another worker has taken this import over')
        outcome('taken over')
        return null
      }
      if (reason instanceof ImportCancelled) {
        const stats = await patience(async () => await importJobs.tally(vendorId, jobId))
        const next = await end(job, taken, { status: 'failed', stats, reason: cancelledReason }, endOf(course))
        jobLog.info({ err: error, stats }, 'import cancelled; it did not end by itself')
        outcome('cancelled')
        return next
      }
      if (error instanceof ThreadLost && error.blame !== 'this') {
        outcome('thread lost')
        jobLog.warn({ err: error }, 'import begins anew: its thread was lost')
        return { ...taken, suspect: suspect || error.blame === 'unknown' }
      }
      if (isRetryable(error)) {
        outcome('interrupted')
        jobLog.warn({ err: error }, 'import interrupted: what it needs is away')
        await delay(beatMs, undefined, { signal: stopping.signal })
        return taken
      }
      jobLog.error({ err: error }, 'import broke')
      outcome('broke')
      span.fail('broke')
      return await patience(async () => {
        const { running } = await lanes.find(vendorId)
        const next = running === null || running.owner !== workerId ? null : await lanes.takeOver(vendorId, workerId, running)
        return next !== null && error instanceof ThreadLost ? { ...next, lost: error } : next
      })
    }
  }

  /**
   * The job's document first, then the lane: whoever comes in between finds a job that is over. A reason, or that there is none after all, is told
   * while the job is still our own for certain; nobody has told one of a job that is run for the first time and has not failed. Gives what letting go has given.
   */
  async function end ({ vendorId, _id: jobId, runs, dryRun }: ImportJob, taken: Taken, result: ImportResult, reached?: Reached): Promise<Taken | 'empty' | null> {
    const { claim } = taken
    return await patience(async () => {
      if (result.status === 'failed' || runs > 1) {
        if (!await lanes.beat(vendorId, claim)) return null
        if (result.status === 'failed') await importIssues.put(vendorId, jobId, jobIssue(result.reason))
        else await importIssues.clearReason(vendorId, jobId)
      }
      // One that failed or was cancelled may have written products, too. Prices and stock alone are nobody's words, and leave counts as they are.
      if (!dryRun && result.isFoundAlike !== true) await searchVocabularies.markChanged(vendorId)
      await importJobs.end(vendorId, jobId, claim.attempt, result.status, result.stats, reached, result.status === 'completed' ? result.unchanged ?? null : null)
      return await letGo(vendorId, taken)
    })
  }

  /** Beats until stopped; aborts when the claim is lost or cancellation was asked for. */
  function beatWhileRunning (
    vendorId: string, claim: Claim, course: Course, abort: AbortController, jobLog: Logger
  ): Rounds {
    const beat = async (): Promise<void> => {
      try {
        if (!await lanes.beat(vendorId, claim)) abort.abort(new ClaimLost())
        else if (!await storeProgress(vendorId, claim.jobId, course)) abort.abort(new ImportCancelled())
      } catch (error) {
        // The lease decides what a missed beat means, not this worker.
        jobLog.warn({ err: error }, 'heartbeat failed')
      }
    }
    return startBeat(beat, beatMs)
  }

  /** false: its cancellation was asked for. */
  async function storeProgress (vendorId: string, jobId: string, course: Course): Promise<boolean> {
    const { progress, hasRead, speed } = course
    if (!hasRead) return await importJobs.progress(vendorId, jobId, progress)
    speed.take(sampleOf(course))
    return await importJobs.progress(vendorId, jobId, progress, speed.all())
  }

  async function stop (): Promise<void> {
    stopping.abort(new ShuttingDown('the worker is shutting down'))
    await heartbeat.stop()
    await drains.settled()
    await workers.leave(workerId)
  }

  return {
    async wake (vendorId, hint) {
      if (hint?.traceparent !== undefined) traces.set(hint.jobId, hint.traceparent)
      await drains.wake(vendorId)
    },
    stop
  }
}

const statsOf = (stats: ImportStats): Attributes =>
  Object.fromEntries(Object.entries(stats).map(([name, count]) => [`catalog.import.${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`, count as number]))
