import t from 'tap'
import { earlierOutcome, isCreator } from '../../../src/domain/earlier-outcome.js'
import { markLine } from '../../../src/domain/product.js'

const by = (line: number, file = 0): string => markLine('job', { file, line })

for (const [what, createdBy, writtenBy, line, outcome] of [
  ['never written by this job', null, null, { file: 0, line: 1 }, null],
  ['last written by an earlier line', by(1), by(1), { file: 0, line: 2 }, null],
  ['last written by a line of an earlier file', by(9), by(9), { file: 1, line: 1 }, null],
  ['last written by the line itself', null, by(2), { file: 0, line: 2 }, 'updated'],
  ['last written by a later line', null, by(3), { file: 0, line: 2 }, 'updated'],
  ['last written by a line of a later file', null, by(1, 1), { file: 0, line: 9 }, 'updated'],
  ['created by the line itself', by(2), by(2), { file: 0, line: 2 }, 'created'],
  ['created by the line and written by a later one', by(2), by(7), { file: 0, line: 2 }, 'created'],
  ['created by an earlier line', by(1), by(7), { file: 0, line: 2 }, 'updated'],
  ['written by another job', null, markLine('other', { file: 9, line: 9 }), { file: 0, line: 1 }, null]
] as Array<[string, string | null, string | null, { file: number, line: number }, string | null]>) {
  t.test(`a product ${what} gives ${outcome ?? 'no'} earlier outcome`, async (t) => {
    t.equal(earlierOutcome({ createdBy, writtenBy }, line, 'job'), outcome)
  })
}

t.test('a product created by upsertProducts has no line as creator', async (t) => {
  t.notOk(isCreator({ createdBy: null }, { file: 0, line: 1 }, 'job'))
})
