/**
 * A job of the vendor that some other worker runs, for as long as the test wants: what is accepted behind it stays queued.
 * To the service under test that worker is a living one: it beats.
 */
import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { emptyStats } from '../../src/domain/import-job.js'
import type { Repositories } from '../../src/store/repositories.js'
import { eventually } from './eventually.js'

export interface HeldLane {
  jobId: string
  /** That job completes. */
  release (): Promise<void>
}

const beatMs = 500

export async function holdLane (t: Test, { lanes, importJobs }: Repositories, vendorId: string): Promise<HeldLane> {
  // A job is shown as ended a moment before its worker lets go of the lane.
  await eventually(`the lane of ${vendorId} is free`, async () => !(await lanes.find(vendorId)).active)
  const jobId = randomUUID()
  const request = { files: ['elsewhere.jsonl'], mode: 'UPDATE', dryRun: false, maxArchivePercent: null } as const
  await lanes.enqueue(vendorId, { jobId, request: { ...request, files: [...request.files] }, createdAt: new Date() })
  const taken = await lanes.claim(vendorId, `elsewhere-${jobId}`)
  if (taken?.job.jobId !== jobId) throw new Error('The lane was not free')
  await importJobs.begin(vendorId, taken.job, taken.claim.attempt)

  let beating: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => {
    beating = beating.then(async () => { await lanes.beat(vendorId, taken.claim) }).catch(() => { /* told by the test that fails over it */ })
  }, beatMs)
  const stopBeating = async (): Promise<void> => {
    clearInterval(timer)
    await beating
  }
  t.teardown(stopBeating)
  return {
    jobId,
    async release () {
      await stopBeating()
      await importJobs.end(vendorId, jobId, taken.claim.attempt, 'completed', emptyStats())
      await lanes.release(vendorId, taken.claim)
    }
  }
}
