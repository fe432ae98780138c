import t from 'tap'
import type { Fault } from '../../../../src/domain/issue.js'
import type { PlacedIssue } from '../../../../src/store/jobs/import-issues.js'
import { createIssueRecorder } from '../../../../src/store/jobs/issue-recorder.js'
import type { UnkeptIssue } from '../../../../src/store/jobs/unkept-issues.js'
import type { WritableLine } from '../../../../src/store/catalog/writable-line.js'

const blank: Fault = { code: 'blank', path: 'name' }
const badLine = (line: number): WritableLine => ({
  position: { file: 0, line }, externalId: '', productId: '', patch: null, digest: '', characters: 0, faults: [blank], warnings: []
})
const warnedLine = (line: number, count: number): WritableLine => ({
  ...badLine(line), faults: [], warnings: Array.from({ length: count }, (_, index) => ({ code: 'unknown-image', path: `variants[${index}]` }))
})

function recording (options: { attempt?: number, maxKept?: number, earlier?: number } = {}) {
  const kept: PlacedIssue[] = []
  const unkept: UnkeptIssue[] = []
  const recorder = createIssueRecorder({
    issues: {
      add: async (_vendorId, _jobId, issues) => { kept.push(...issues) },
      addUnkept: async (_vendorId, _jobId, issues) => { unkept.push(...issues) },
      put: async () => {},
      countKept: async () => options.earlier ?? 0,
      unknownAmong: async (_jobId, issues) => issues
    },
    vendorId: 'acme',
    jobId: 'job',
    files: ['a.jsonl'],
    attempt: options.attempt ?? 1,
    ...options.maxKept === undefined ? {} : { maxKept: options.maxKept }
  })
  return { kept, unkept, recorder }
}

t.test('of a file of bad lines 100,000 are kept, and the others are counted', async (t) => {
  const { kept, unkept, recorder } = recording()
  for (let line = 1; line <= 101_000; line += 500) await recorder.record(Array.from({ length: 500 }, (_, index) => badLine(line + index)))
  t.equal(kept.length, 100_000)
  t.strictSame(unkept.map(({ position }) => position.line), Array.from({ length: 1_000 }, (_, index) => 100_001 + index))
})

t.test('batches that are recorded side by side keep no more together', async (t) => {
  const { kept, unkept, recorder } = recording({ maxKept: 7 })
  await Promise.all([1, 6, 11].map(async (line) => { await recorder.record([0, 1, 2, 3, 4].map((index) => badLine(line + index))) }))
  t.strictSame([kept.length, unkept.length], [7, 8])
})

t.test('warnings count as many as there are of them', async (t) => {
  const { kept, unkept, recorder } = recording({ maxKept: 4 })
  await recorder.record([warnedLine(1, 3), warnedLine(2, 3)])
  t.strictSame([kept.length, unkept.length], [4, 2])
})

t.test('what an earlier run has kept counts', async (t) => {
  const { kept, recorder } = recording({ attempt: 2, maxKept: 5, earlier: 3 })
  await recorder.record([1, 2, 3].map(badLine))
  t.equal(kept.length, 2)
})

for (const [what, stored] of Object.entries({ 'none of which was stored': 0, 'some of which were stored': 2, 'all of which were stored': 3 })) {
  t.test(`writes that fail, ${what}, take no place from others`, async (t) => {
    const kept = new Map<number, PlacedIssue>()
    const unkept: UnkeptIssue[] = []
    let failures = 3
    const recorder = createIssueRecorder({
      issues: {
        async add (_vendorId, _jobId, issues) {
          const isAway = failures-- > 0
          for (const issue of isAway ? issues.slice(0, stored) : issues) kept.set(issue.line ?? 0, issue)
          if (isAway) throw new Error('away')
        },
        addUnkept: async (_vendorId, _jobId, issues) => { unkept.push(...issues) },
        put: async () => {},
        countKept: async () => 0,
        unknownAmong: async (_jobId, issues) => issues.filter(({ line }) => !kept.has(line ?? 0))
      },
      vendorId: 'acme', jobId: 'job', files: ['a.jsonl'], attempt: 1, maxKept: 5
    })
    const lines = [1, 2, 3].map(badLine)
    for (let away = 0; away < 3; away++) {
      await recorder.record(lines).catch(() => {})
      recorder.expectKnown()
    }
    await recorder.record([1, 2, 3, 4, 5, 6].map(badLine))
    t.strictSame([kept.size, unkept.length], [5, 1])
  })
}
