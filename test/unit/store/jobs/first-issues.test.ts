/** The first issues of a job are those of a server that stops at a limit, and one that does not looks at about a page, whether or not the process has seen the job. */
import t from 'tap'
import type { LinePosition } from '../../../../src/domain/product.js'
import type { Collections } from '../../../../src/store/database/connection.js'
import { mongodb, secantusdb, type ServerProfile } from '../../../../src/store/database/server-profile.js'
import { createFindFirstIssues } from '../../../../src/store/jobs/first-issues.js'
import { idOf } from '../../../../src/store/jobs/issue-ids.js'
import { withProfile } from '../../../support/with-profile.js'

type At = LinePosition | null

const lines = (count: number, { file = 0, each = 1, from = 1 } = {}): LinePosition[] => Array.from({ length: count }, (_, index) => ({ file, line: from + index * each }))

/** One error at each place. Counts what a server looks at that looks at all that its index has in the range. */
function server (places: At[], profile: ServerProfile = secantusdb) {
  let issues: Array<{ _id: string }> = []
  const become = (others: At[]): void => { issues = others.map((at) => ({ _id: idOf('job', 'error', at, 0) })).sort((a, b) => a._id < b._id ? -1 : 1) }
  become(places)
  const seen = { commands: 0, looked: 0 }
  const importIssues = {
    find ({ jobId, _id: { $gte, $lt, ...others }, ...more }: { jobId: string, _id: { $gte: string, $lt: string } }) {
      if (jobId !== 'job' || Object.keys({ ...others, ...more }).length > 0) throw new Error('no range of the index')
      const matching = issues.filter(({ _id }) => _id >= $gte && _id < $lt)
      seen.commands++
      seen.looked += matching.length
      return { sort: () => ({ limit: (limit: number) => ({ toArray: async () => matching.slice(0, limit) }) }) }
    }
  }
  withProfile(importIssues, profile)
  const newProcess = () => {
    const find = createFindFirstIssues({ importIssues } as unknown as Pick<Collections, 'importIssues'>)
    return async (limit: number, files?: number): Promise<{ isRight: boolean, commands: number, looked: number }> => {
      Object.assign(seen, { commands: 0, looked: 0 })
      const page = await find('job', 'error', limit, files)
      return { isRight: JSON.stringify(page) === JSON.stringify(issues.slice(0, limit)), ...seen }
    }
  }
  return { become, newProcess }
}

/** Jobs with tens of thousands of issues, and how many of them a page of 1,000 may look at that is the process' first. */
const jobs: Record<string, { places: At[], files: number, most: number }> = {
  'each line is bad': { places: lines(100_000), files: 1, most: 1_000 },
  'a line in a hundred': { places: lines(20_000, { each: 100 }), files: 1, most: 2_500 },
  'a line in four thousand': { places: lines(20_000, { each: 4_000 }), files: 1, most: 4_000 },
  'the job as a whole, too': { places: [null, ...lines(50_000)], files: 1, most: 1_001 },
  'ten files, a line in ten': { places: Array.from({ length: 10 }, (_, file) => lines(2_000, { file, each: 10 })).flat(), files: 10, most: 1_400 },
  'many short files': { places: Array.from({ length: 100 }, (_, file) => lines(500, { file, each: 2 })).flat(), files: 100, most: 5_000 },
  'the second file alone': { places: lines(50_000, { file: 1 }), files: 2, most: 16_000 },
  'what is not kept': { places: [...lines(50_000), { file: 998, line: 0 }], files: 1, most: 1_000 }
}

for (const [name, { places, files, most }] of Object.entries(jobs)) {
  t.test(`${name}: a page looks at about a page`, async (t) => {
    const { newProcess } = server(places)
    for (const known of [files, undefined]) {
      const page = newProcess()
      for (const limit of [1_000, 11, 1_000, 3_000, 1_000]) {
        const { isRight, commands, looked } = await page(limit, known)
        t.ok(isRight, `${limit} of ${known} files`)
        t.ok(looked <= most * Math.max(limit / 1_000, 1), `${looked} were looked at for ${limit}`)
        t.ok(commands <= 20, `${commands} commands`)
      }
    }
  })
}

t.test('a second page of as many is one command, and looks at no more', async (t) => {
  const page = server(lines(20_000, { each: 70 })).newProcess()
  await page(1_000)
  t.strictSame(await page(1_000), { isRight: true, commands: 1, looked: 1_000 })
})

t.test('where lines are bad from late on, all of them are looked at once', async (t) => {
  const page = server(lines(50_000, { from: 900_000 })).newProcess()
  t.ok((await page(1_000, 1)).isRight)
  t.strictSame(await page(1_000, 1), { isRight: true, commands: 1, looked: 1_000 })
})

t.test('what has come or gone since is seen', async (t) => {
  const { become, newProcess } = server(lines(5_000, { from: 10_000 }))
  const page = newProcess()
  await page(1_000)
  for (const places of [[null, ...lines(3_000)], lines(400, { from: 10_000 }), lines(100_000, { file: 1 }), []]) {
    become(places)
    t.ok((await page(1_000)).isRight)
  }
})

t.test('a job with few issues, or none, in however many files', async (t) => {
  for (const places of [[], [null], lines(3, { each: 1_000_000 }), lines(3, { file: 99 }), [{ file: 998, line: 0 }], lines(2, { from: 70_000_000 })]) {
    const page = server(places).newProcess()
    for (const files of [1, 2, 100, undefined]) {
      const { isRight, commands } = await page(1_000, files)
      t.ok(isRight)
      t.ok(commands <= (files === 1 ? 5 : 17), `${commands} commands for ${files} files`)
    }
  }
})

t.test('a job with few issues is read in one go from the second look on, and as any other once it has many', async (t) => {
  const { become, newProcess } = server(lines(3, { each: 5_000 }))
  const look = newProcess()
  await look(1_000, 2)
  t.match(await look(1_000, 2), { isRight: true, commands: 1 })
  t.match(await look(10, 2), { isRight: true, commands: 1 })
  become(lines(50_000))
  t.match(await look(1_000, 2), { isRight: true, looked: 50_000 })
  t.match(await look(1_000, 2), { isRight: true, commands: 1, looked: 1_000 })
})

t.test('there are never many commands', async (t) => {
  const page = server(Array.from({ length: 100 }, (_, file) => ({ file, line: 1_000_000 }))).newProcess()
  const { isRight, commands } = await page(1_000, 100)
  t.ok(isRight)
  t.ok(commands <= 32)
})

t.test('a server that stops at a limit is asked once', async (t) => {
  const page = server(lines(5_000, { each: 3 }), mongodb).newProcess()
  t.match(await page(11), { isRight: true, commands: 1 })
})
