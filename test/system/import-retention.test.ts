/** Files are deleted 30 days after their upload, by the service's own clock, but none that a queued or processing job names. */
import { randomUUID } from 'node:crypto'
import t from 'tap'
import { emptyStats } from '../../src/domain/import-job.js'
import { unavailable } from '../../src/errors.js'
import { sweepFiles } from '../../src/jobs/retention.js'
import type { SftpFiles } from '../../src/sources/sftp-files.js'
import { testDatabase } from '../support/database.js'
import { accept, request } from '../support/import-workers.js'
import { silent } from '../support/log.js'

const { repositories } = await testDatabase(t)
const day = 24 * 60 * 60 * 1_000
const now = Date.now()

type SweptFiles = Pick<SftpFiles, 'list' | 'stat' | 'remove'>
/** In days, by name. */
type Ages = Map<string, number>

function filesOf (vendors: Record<string, Ages>): SweptFiles {
  return {
    list: async (vendorId) => Array.from(vendors[vendorId] ?? [], ([name, age]) => ({ name, size: 1, modifiedAtMs: now - age * day, uploadedAtMs: now - age * day })),
    stat: async (vendorId, name) => ({ size: 1, modifiedAtMs: now - (vendors[vendorId]?.get(name) ?? NaN) * day }),
    remove: async (vendorId, name) => { vendors[vendorId]?.delete(name) }
  }
}

/** Gives the names of the files that are left. `around` may put something between the sweeper and the files. */
async function sweep (vendorId: string, ages: Record<string, number>, around = (files: SweptFiles): SweptFiles => files): Promise<string[]> {
  const left = new Map(Object.entries(ages))
  const files = filesOf({ [vendorId]: left })
  await sweepFiles({ repositories, files: around(files), log: silent, now: () => now })
  return [...left.keys()]
}

for (const vendorId of ['ages', 'jobs', 'accepted', 'racing', 'broken', 'fine', 'dated']) await repositories.vendors.create(vendorId, vendorId)

t.test('only files older than 30 days go', async (t) => {
  t.strictSame(await sweep('ages', { 'new.jsonl': 0, 'almost.jsonl': 29.99, 'over.jsonl': 30.01, 'ancient.jsonl': 400 }), ['new.jsonl', 'almost.jsonl'])
})

t.test('where nobody vouches for times, a file goes 30 days after it was first seen, whatever its modification time', async (t) => {
  const left = new Map([['backdated.jsonl', now - 31 * day], ['postdated.jsonl', now + 400 * day]])
  const files: SweptFiles = {
    list: async (vendorId) => vendorId === 'dated' ? Array.from(left, ([name, modifiedAtMs]) => ({ name, size: 1, modifiedAtMs, uploadedAtMs: null })) : [],
    stat: async (_vendorId, name) => ({ size: 1, modifiedAtMs: left.get(name) ?? NaN }),
    remove: async (_vendorId, name) => { left.delete(name) }
  }
  const sweepAfter = async (days: number): Promise<string[]> => {
    await sweepFiles({ repositories, files, log: silent, now: () => now + days * day })
    return [...left.keys()]
  }
  t.strictSame(await sweepAfter(0), ['backdated.jsonl', 'postdated.jsonl'])
  left.set('backdated.jsonl', now - 32 * day)
  t.strictSame(await sweepAfter(29), ['backdated.jsonl', 'postdated.jsonl'])
  t.strictSame(await sweepAfter(31), ['backdated.jsonl'], 'another file has taken its name')
  t.strictSame(await sweepAfter(60), [])
})

t.test('files that queued and processing jobs name stay until those are over', async (t) => {
  const ages = { 'queued.jsonl': 31, 'processing.jsonl': 31, 'over.jsonl': 31, 'unnamed.jsonl': 31 }
  const begin = async (files: string[]): Promise<string> => {
    const jobId = await accept(repositories, 'jobs', { files })
    const taken = await repositories.lanes.claim('jobs', 'worker')
    if (taken === null) throw new Error('There was no job')
    await repositories.importJobs.begin('jobs', taken.job, 1)
    return jobId
  }
  const end = async (jobId: string): Promise<void> => {
    await repositories.importJobs.end('jobs', jobId, 1, 'completed', emptyStats())
    await repositories.lanes.release('jobs', { jobId, attempt: 1, owner: 'worker' })
  }
  await end(await begin(['over.jsonl']))
  const processing = await begin(['new.jsonl', 'processing.jsonl'])
  await accept(repositories, 'jobs', { files: ['queued.jsonl'] })
  t.strictSame(await sweep('jobs', ages), ['queued.jsonl', 'processing.jsonl'])
  await end(processing)
  t.strictSame(await sweep('jobs', ages), ['queued.jsonl'])
})

t.test('a job that is accepted and has no document of its own yet counts', async (t) => {
  // All that is left of an acceptance whose process died right after it: the lane (jobs/import-queue).
  await repositories.lanes.enqueue('accepted', { jobId: randomUUID(), request: request({ files: ['old.jsonl'] }), createdAt: new Date() })
  t.strictSame(await sweep('accepted', { 'old.jsonl': 31 }), ['old.jsonl'])
})

t.test('a job that is accepted while files are being listed counts', async (t) => {
  const left = await sweep('racing', { 'old.jsonl': 31 }, (files) => ({
    ...files,
    list: async (vendorId) => {
      const found = await files.list(vendorId)
      await accept(repositories, 'racing', { files: ['old.jsonl'] })
      return found
    }
  }))
  t.strictSame(left, ['old.jsonl'])
})

t.test('a file that has been replaced since it was listed stays', async (t) => {
  const left = await sweep('racing', { 'replaced.jsonl': 31, 'same.jsonl': 31 }, (files) => ({
    ...files,
    stat: async (vendorId, name) => name === 'same.jsonl' ? await files.stat(vendorId, name) : { size: 2, modifiedAtMs: now }
  }))
  t.strictSame(left, ['replaced.jsonl'])
})

t.test('a file that cannot be removed does not stop the others of its vendor', async (t) => {
  const left = await sweep('racing', { 'odd\\name.jsonl': 31, 'other.jsonl': 31 }, (files) => ({
    ...files,
    async remove (vendorId, name) {
      if (name.includes('\\')) throw unavailable('no such name')
      await files.remove(vendorId, name)
    }
  }))
  t.strictSame(left, ['odd\\name.jsonl'])
})

t.test('a vendor whose files cannot be listed does not stop the others', async (t) => {
  const fine = new Map([['old.jsonl', 31]])
  const { list, ...others } = filesOf({ fine })
  await sweepFiles({
    repositories,
    files: {
      ...others,
      list: async (vendorId) => {
        if (vendorId !== 'fine') throw unavailable('The file server is away')
        return await list(vendorId)
      }
    },
    log: silent,
    now: () => now
  })
  t.equal(fine.size, 0)
})
