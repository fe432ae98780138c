import t from 'tap'
import { checkVariables, maxObjects } from '../../../../src/api/graphql/variable-limits.js'

const refused = { code: 'BAD_USER_INPUT', message: /"variables" must hold at most 200000 objects and lists/ }
const objects = (count: number): object[] => Array.from({ length: count }, () => ({}))

t.test('as many objects and lists as are allowed pass, and not one more', (t) => {
  t.doesNotThrow(() => { checkVariables({ products: objects(maxObjects - 1) }) })
  t.throws(() => { checkVariables({ products: objects(maxObjects) }) }, refused)
  t.end()
})

t.test('they count wherever they are', (t) => {
  t.throws(() => { checkVariables({ products: [{ variants: objects(maxObjects / 2) }, { images: objects(maxObjects / 2) }] }) }, refused)
  t.throws(() => { checkVariables({ one: objects(maxObjects / 2), two: objects(maxObjects / 2) }) }, refused)
  t.end()
})

t.test('texts and numbers are no objects, however many there are', (t) => {
  t.doesNotThrow(() => { checkVariables({ ids: Array.from({ length: 2 * maxObjects }, (_, id) => id), text: 'a', none: null }) })
  t.end()
})

t.test('lists nested a million deep are refused without overflowing the stack', (t) => {
  let deep: unknown[] = []
  for (let level = 0; level < 1_000_000; level++) deep = [deep]
  t.throws(() => { checkVariables({ deep }) }, refused)
  t.end()
})
