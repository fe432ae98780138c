/** Vendors' lanes in `import_lanes`, one document each, changed only by compare-and-set over domain/lane.ts. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Filter } from 'mongodb'
import {
  claim, emptyLane, enqueue, handBack, maxQueuedJobs, release, takeOver, withdraw,
  type Claim, type Lane, type QueuedJob, type RunningJob
} from '../../domain/lane.js'
import { unavailable } from '../../errors.js'
import type { Collections } from '../database/connection.js'
import { isDuplicateKey } from '../database/database-errors.js'
import { pauseBefore } from '../database/lost-race-pause.js'
import type { LaneDocument } from './lane-document.js'

/** Losing this often means that something other than contention is wrong: 20 winners are the most there can be. */
const maxCasRounds = 50

/** All vendors together. */
export interface Backlog {
  /** Have something to run that no worker has taken. */
  vendorsWaiting: number
  vendorsRunning: number
  jobsQueued: number
  /** When the oldest of what waits for a worker was accepted. */
  waitingSince: Date | null
}

/** `behind`: the jobs that waited behind it then. */
export interface ClaimedJob { job: QueuedJob, claim: Claim, behind: QueuedJob[] }

export interface Lanes {
  enqueue (vendorId: string, job: QueuedJob): Promise<'accepted' | 'full' | 'known'>
  /** `seen`: as it has just been found, which spares a look. */
  claim (vendorId: string, owner: string, seen?: LaneDocument): Promise<ClaimedJob | null>
  takeOver (vendorId: string, owner: string, seen: RunningJob): Promise<ClaimedJob | null>
  /** false: the claim is no longer held. So for release and handBack. */
  beat (vendorId: string, held: Claim): Promise<boolean>
  release (vendorId: string, held: Claim): Promise<boolean>
  /**
   * The same, and the owner's claim on the next job in the same write. 'empty': there is none. null: the claim is no longer held. `behind`: what the claim said of it,
   * which spares a look where it is so still, but for jobs that have come since.
   */
  releaseForNext (vendorId: string, held: Claim, behind: QueuedJob[]): Promise<ClaimedJob | 'empty' | null>
  handBack (vendorId: string, held: Claim): Promise<boolean>
  withdraw (vendorId: string, jobId: string): Promise<boolean>
  find (vendorId: string): Promise<LaneDocument>
  /** Vendors whose lanes hold anything. `mark` differs after every change, a beat too. */
  activeVendors (): AsyncIterable<{ vendorId: string, jobId: string, mark: string }>
  backlog (): Promise<Backlog>
  /** Those that hold anything, by vendor. */
  active (first: number): Promise<LaneDocument[]>
}

export function createLanes ({ importLanes }: Collections): Lanes {
  async function find (vendorId: string): Promise<LaneDocument> {
    return await importLanes.findOne({ _id: vendorId }) ?? { _id: vendorId, rev: 0, active: false, ...emptyLane() }
  }

  /** Applies `change` until it is written or says (null) that nothing is to be written. */
  async function change<T> (vendorId: string, change: (lane: Lane) => { lane: Lane, result: T } | null, seen?: LaneDocument): Promise<T | null> {
    for (let round = 0; round < maxCasRounds; round++) {
      if (round > 1) await delay(pauseBefore(round))
      const current = round === 0 && seen !== undefined ? seen : await find(vendorId)
      const next = change(current)
      if (next === null) return null
      if (await replace(current, next.lane)) return next.result
    }
    throw unavailable(`The import queue of vendor ${vendorId} is too busy`)
  }

  async function replace (current: LaneDocument, { queue, running }: Lane): Promise<boolean> {
    const next: LaneDocument = {
      _id: current._id, rev: current.rev + 1, active: queue.length > 0 || running !== null, queue, running
    }
    if (current.rev === 0) {
      try {
        await importLanes.insertOne(next)
        return true
      } catch (error) {
        if (isDuplicateKey(error)) return false
        throw error
      }
    }
    const { matchedCount } = await importLanes.replaceOne({ _id: current._id, rev: current.rev }, next)
    return matchedCount === 1
  }

  const apply = async (vendorId: string, step: (lane: Lane) => Lane | null): Promise<boolean> =>
    await change(vendorId, (lane) => {
      const next = step(lane)
      return next === null ? null : { lane: next, result: true }
    }) ?? false

  const take = async (
    vendorId: string, step: (lane: Lane) => Taken | null, seen?: LaneDocument
  ): Promise<ClaimedJob | null> =>
    await change(vendorId, (lane) => {
      const taken = step(lane)
      return taken === null ? null : claimed(taken)
    }, seen)

  /** What a worker may change of its claim, in one small write: a lane may hold 21 jobs of 100 file names each. */
  const heldBy = (vendorId: string, { jobId, attempt, owner }: Claim): Filter<LaneDocument> =>
    ({ _id: vendorId, 'running.job.jobId': jobId, 'running.attempt': attempt, 'running.owner': owner })

  /** Of a lane in which nothing waits. */
  const releaseLast = async (vendorId: string, held: Claim): Promise<boolean> => {
    const { matchedCount } = await importLanes.updateOne({ ...heldBy(vendorId, held), queue: { $size: 0 } }, { $set: { running: null, active: false }, $inc: { rev: 1 } })
    return matchedCount === 1
  }

  /** Of a lane in which the job that is to run is the next; what waits behind it stays. */
  const releaseFor = async (vendorId: string, held: Claim, { lane: { running }, job }: Taken): Promise<boolean> => {
    const { matchedCount } = await importLanes.updateOne(
      { ...heldBy(vendorId, held), 'queue.0.jobId': job.jobId }, { $set: { running }, $pop: { queue: -1 }, $inc: { rev: 1 } }
    )
    return matchedCount === 1
  }

  return {
    async enqueue (vendorId, job) {
      // What domain/lane's `enqueue` does, in one write, for a lane that is there, has room and does not know the job.
      const { matchedCount } = await importLanes.updateOne(
        { _id: vendorId, queue: { $not: { $size: maxQueuedJobs } }, 'queue.jobId': { $ne: job.jobId }, 'running.job.jobId': { $ne: job.jobId } },
        { $push: { queue: job }, $set: { active: true }, $inc: { rev: 1 } }
      )
      if (matchedCount === 1) return 'accepted'
      let refusal: 'full' | 'known' = 'known'
      const accepted = await apply(vendorId, (lane) => {
        const next = enqueue(lane, job)
        if (typeof next !== 'string') return next
        refusal = next
        return null
      })
      return accepted ? 'accepted' : refusal
    },
    claim: async (vendorId, owner, seen) => await take(vendorId, (lane) => claim(lane, owner), seen),
    takeOver: async (vendorId, owner, seen) => await take(vendorId, (lane) => takeOver(lane, owner, seen)),
    async beat (vendorId, held) {
      const { matchedCount } = await importLanes.updateOne(heldBy(vendorId, held), { $inc: { 'running.beat': 1, rev: 1 } })
      return matchedCount === 1
    },
    release: async (vendorId, held) => await releaseLast(vendorId, held) || await apply(vendorId, (lane) => release(lane, held)),
    async releaseForNext (vendorId, held, behind) {
      const known = claim({ queue: behind, running: null }, held.owner)
      if (known === null) {
        if (await releaseLast(vendorId, held)) return 'empty'
      } else if (await releaseFor(vendorId, held, known)) return claimed(known).result
      return await change<ClaimedJob | 'empty'>(vendorId, (lane) => {
        const released = release(lane, held)
        if (released === null) return null
        const next = claim(released, held.owner)
        return next === null ? { lane: released, result: 'empty' } : claimed(next)
      })
    },
    handBack: async (vendorId, held) => await apply(vendorId, (lane) => handBack(lane, held)),
    withdraw: async (vendorId, jobId) => await apply(vendorId, (lane) => withdraw(lane, jobId)),
    find,
    async * activeVendors () {
      for await (const { _id, rev, queue, running } of importLanes.find({ active: true })) {
        const jobId = running?.job.jobId ?? queue[0]?.jobId
        if (jobId !== undefined) yield { vendorId: _id, jobId, mark: String(rev) }
      }
    },
    active: async (first) => (await importLanes.find({ active: true }, { limit: first }).toArray()).sort((a, b) => a._id < b._id ? -1 : 1),
    async backlog () {
      const sum: Backlog = { vendorsWaiting: 0, vendorsRunning: 0, jobsQueued: 0, waitingSince: null }
      const active = importLanes.aggregate<{ queued: number, owner: string | null, acceptedAt: Date }>([
        { $match: { active: true } },
        {
          $project: {
            queued: { $size: '$queue' },
            owner: { $ifNull: ['$running.owner', null] },
            acceptedAt: { $ifNull: ['$running.job.createdAt', { $min: { $map: { input: '$queue', in: '$$this.createdAt' } } }] }
          }
        }
      ])
      for await (const { queued, owner, acceptedAt } of active) {
        sum.jobsQueued += queued
        if (owner !== null) sum.vendorsRunning += 1
        else {
          sum.vendorsWaiting += 1
          if (sum.waitingSince === null || acceptedAt < sum.waitingSince) sum.waitingSince = acceptedAt
        }
      }
      return sum
    }
  }
}

type Taken = NonNullable<ReturnType<typeof claim>>

const claimed = ({ lane, job, claim }: Taken): { lane: Lane, result: ClaimedJob } =>
  ({ lane, result: { job, claim, behind: lane.queue } })
