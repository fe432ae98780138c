import t from 'tap'
import { toJsonLines } from '../../../../src/api/rest/issue-lines.js'
import type { JobIssue } from '../../../../src/domain/issue.js'

async function * issues (count: number): AsyncGenerator<JobIssue> {
  for (let line = 1; line <= count; line++) yield { severity: 'error', file: 'a', line, externalId: null, faults: [{ code: 'malformed-json', path: '' }] }
}

t.test('lines come in pieces, none of them lost or cut', async (t) => {
  const pieces: string[] = []
  for await (const piece of toJsonLines(issues(5_000))) pieces.push(piece)
  t.ok(pieces.length > 1 && pieces.every((piece) => piece.length < 70_000 && piece.endsWith('\n')))
  const lines = pieces.join('').trimEnd().split('\n').map((text) => JSON.parse(text) as { line: number })
  t.equal(lines.length, 5_000)
  t.ok(lines.every(({ line }, index) => line === index + 1))
})

t.test('leaving ends the reading', async (t) => {
  let ended = false
  async function * endless (): AsyncGenerator<JobIssue> {
    try {
      yield * issues(Infinity)
    } finally {
      ended = true
    }
  }
  const lines = toJsonLines(endless())
  await lines.next()
  await lines.return(undefined)
  t.equal(ended, true)
})
