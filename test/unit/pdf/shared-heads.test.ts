import t from 'tap'
import { sharedByHeads } from '../../../src/pdf/shared-heads.js'

const on = (...lines: number[]): { lines: Set<number> } => ({ lines: new Set(lines) })

t.test('groups on no line together are the column of the one head that they can have', async (t) => {
  const [sizes, head, halves, chest, inches] = [on(1, 3), on(0), on(2, 4), on(0, 2, 4), on(1, 3)]
  t.strictSame(sharedByHeads([sizes, head, halves, chest, inches], 0), [[sizes, head, halves], [chest, inches]])
})

t.test('where a group may belong to either of two heads there is no answer', async (t) => {
  t.equal(sharedByHeads([on(0), on(1), on(0)], 0), null)
})

t.test('each line of 400 groups that may be shared in any number of ways is looked at once', async (t) => {
  let looked = 0
  class Watched extends Set<number> {
    override has (line: number): boolean {
      looked += 1
      return super.has(line)
    }

    override * [Symbol.iterator] (): SetIterator<number> {
      for (const line of super.values()) {
        looked += 1
        yield line
      }
    }
  }
  const groups = Array.from({ length: 400 }, (_, index) => ({ lines: new Watched().add(index % 2 === 0 ? 0 : index) }))
  looked = 0
  t.equal(sharedByHeads(groups, 0), null)
  t.ok(looked > 0 && looked <= 2 * groups.length, `${looked} looks at 400 groups of one line each`)
})
