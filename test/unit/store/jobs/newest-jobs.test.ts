import t from 'tap'
import type { ImportJob } from '../../../../src/domain/import-job.js'
import type { Collections } from '../../../../src/store/database/connection.js'
import { mongodb, secantusdb, type ServerProfile } from '../../../../src/store/database/server-profile.js'
import { createFindNewestJobs } from '../../../../src/store/jobs/newest-jobs.js'
import { withProfile } from '../../../support/with-profile.js'

const day = 24 * 60 * 60 * 1_000
const now = 1_000 * day

interface Range { $gt?: Date, $lt?: Date }

/** One job each hour. Counts what a server looks at that looks at all that its index has in the range. */
function server (count: number, profile: ServerProfile) {
  const jobs = Array.from({ length: count }, (_, index) => ({ _id: String(count - index).padStart(6, '0'), createdAt: new Date(now - (index + 1) * day / 24) }))
  const seen = { commands: 0, looked: 0 }
  const importJobs = {
    find ({ createdAt = {}, _id }: { createdAt?: Date | Range, _id?: { $lt: string } }) {
      const matching = jobs.filter((job) => createdAt instanceof Date
        ? job.createdAt.getTime() === createdAt.getTime() && _id !== undefined && job._id < _id.$lt
        : job.createdAt > (createdAt.$gt ?? new Date(0)) && job.createdAt < (createdAt.$lt ?? new Date(2 * now)))
      seen.commands++
      seen.looked += matching.length
      return { sort: () => ({ limit: (limit: number) => ({ toArray: async () => matching.slice(0, limit) }) }) }
    }
  }
  withProfile(importJobs, profile)
  const find = createFindNewestJobs({ importJobs } as unknown as Pick<Collections, 'importJobs'>, () => now)
  const page = async (limit: number, after: Pick<ImportJob, '_id' | 'createdAt'> | null = null) => {
    Object.assign(seen, { commands: 0, looked: 0 })
    return await find({ among: { vendorId: 'v' }, from: null, to: null, after }, limit)
  }
  return { page, seen }
}

t.test('a page of many jobs looks at about as many as it holds, the first time too', async (t) => {
  const { page, seen } = server(2_000, secantusdb)
  t.equal((await page(11)).length, 11)
  t.ok(seen.looked <= 24, `${seen.looked} were looked at`)
  t.equal((await page(11)).length, 11)
  t.strictSame(seen, { commands: 1, looked: 11 })
})

t.test('a longer page goes further back, and no further than it must', async (t) => {
  const { page, seen } = server(2_000, secantusdb)
  t.equal((await page(201)).length, 201)
  t.ok(seen.looked <= 201 * 4, `${seen.looked} were looked at`)
  t.ok(seen.commands <= 4)
})

t.test('so does a page from the middle', async (t) => {
  const { page, seen } = server(2_000, secantusdb)
  await page(11)
  const after = (await page(1_000)).at(-1) ?? null
  t.equal((await page(11, after))[0]?._id, '001000')
  t.ok(seen.looked <= 1_000 * 4)
})

t.test('a list that is shorter than a page is read in one go from the second time on', async (t) => {
  const { page, seen } = server(5, secantusdb)
  t.equal((await page(11)).length, 5)
  t.ok(seen.commands <= 5)
  t.equal((await page(11)).length, 5)
  t.strictSame(seen, { commands: 1, looked: 5 })
})

t.test('a server that stops at a limit is asked once', async (t) => {
  const { page, seen } = server(2_000, mongodb)
  t.equal((await page(11)).length, 11)
  t.equal(seen.commands, 1)
})
