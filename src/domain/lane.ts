/**
 * A vendor's lane: its queue and the one job that runs, in one document, so that every rule about them is one atomic
 * write (decisions.md "Queue"). This file is the state machine, pure; store/jobs/lanes.ts applies it by compare-and-set.
 *
 *   enqueue ─▶ queue[≤20] ─claim─▶ running ─release─▶ (gone)
 *                                   │   ▲
 *                          handBack │   │ claim (owner null: same attempt) / takeOver (owner lost: attempt + 1)
 *                                   ▼   │
 *                                 running, owner null
 *
 * Invariants: at most one job runs; jobs leave the queue in the order in which they entered it; every write of a worker
 * names its claim (job, attempt, owner), so a worker that was given up for dead can do nothing more in the lane.
 *
 * Death is told without clocks (domain/standstill.ts): the owner raises `beat`, and who waits takes over only what has not changed since it
 * was seen.
 */
import type { Actor } from './audit.js'
import type { ImportRequest } from './import-job.js'

/** Everything about an accepted job, so that its own document can be made again from here after a crash. */
export interface QueuedJob {
  jobId: string
  request: ImportRequest
  createdAt: Date
  /** Who asked for it. Absent: it is not known. */
  startedBy?: Actor
  /** W3C's, of the request that was accepted: the job goes on with its trace also where its message is lost. Only where requests are traced. */
  traceparent?: string
}

export interface Claim {
  jobId: string
  /** 1, 2, …: a fencing token. Grows only when a worker was lost, not when a job is handed back. */
  attempt: number
  owner: string
}

export interface RunningJob {
  job: QueuedJob
  attempt: number
  /** null: handed back by a worker that shut down. */
  owner: string | null
  beat: number
}

export interface Lane {
  queue: QueuedJob[]
  running: RunningJob | null
}

export const maxQueuedJobs = 20
/** A job whose worker was lost this often ends `failed`. */
export const maxAttempts = 3

export const emptyLane = (): Lane => ({ queue: [], running: null })

/** 'known' when the same job is already there: accepting twice is harmless. */
export function enqueue (lane: Lane, job: QueuedJob): Lane | 'full' | 'known' {
  if (lane.running?.job.jobId === job.jobId || lane.queue.some((queued) => queued.jobId === job.jobId)) return 'known'
  if (lane.queue.length >= maxQueuedJobs) return 'full'
  return { ...lane, queue: [...lane.queue, job] }
}

/** The next job for this owner; null when there is none or another worker has it. */
export function claim (lane: Lane, owner: string): { lane: Lane, job: QueuedJob, claim: Claim } | null {
  const { running, queue } = lane
  if (running !== null) {
    if (running.owner !== null) return null
    return own(lane, { ...running, owner, beat: running.beat + 1 })
  }
  const [job, ...rest] = queue
  if (job === undefined) return null
  return own({ ...lane, queue: rest }, { job, attempt: 1, owner, beat: 0 })
}

/** The job of a lost worker; null when anything has changed since `seen`. */
export function takeOver (
  lane: Lane, owner: string, seen: RunningJob
): { lane: Lane, job: QueuedJob, claim: Claim } | null {
  const { running } = lane
  if (running === null || markOf(running) !== markOf(seen)) return null
  return own(lane, { ...running, attempt: running.attempt + 1, owner, beat: running.beat + 1 })
}

/** Differs whenever something has been heard of the job. */
export const markOf = ({ job: { jobId }, attempt, owner, beat }: RunningJob): string => JSON.stringify([jobId, attempt, owner, beat])

function own (lane: Lane, running: RunningJob & { owner: string }): { lane: Lane, job: QueuedJob, claim: Claim } {
  const { job, attempt, owner } = running
  return { lane: { ...lane, running }, job, claim: { jobId: job.jobId, attempt, owner } }
}

/** "I am alive." null: the claim is no longer held; stop at once. */
export function beat (lane: Lane, held: Claim): Lane | null {
  if (!holds(lane, held)) return null
  return { ...lane, running: { ...lane.running, beat: lane.running.beat + 1 } }
}

/** The job is over. null: the claim is no longer held. */
export const release = (lane: Lane, held: Claim): Lane | null => holds(lane, held) ? { ...lane, running: null } : null

/** The worker shuts down and another may go on, no attempt counted. null: the claim is no longer held. */
export const handBack = (lane: Lane, held: Claim): Lane | null =>
  holds(lane, held) ? { ...lane, running: { ...lane.running, owner: null } } : null

/** Takes a job out of the queue; null when it is not in it. */
export function withdraw (lane: Lane, jobId: string): Lane | null {
  const queue = lane.queue.filter((queued) => queued.jobId !== jobId)
  return queue.length === lane.queue.length ? null : { ...lane, queue }
}

function holds (lane: Lane, held: Claim): lane is Lane & { running: RunningJob } {
  const { running } = lane
  return running !== null && running.job.jobId === held.jobId && running.attempt === held.attempt &&
    running.owner === held.owner
}
