import t from 'tap'
import { countObjects, maxObjects, maxValues } from '../../../../../src/api/graphql/limits/body-limits.js'

const count = (json: string): number => countObjects([Buffer.from(json)])
const tooMany = { code: 'BAD_USER_INPUT', message: /^The body must hold at most 200000 objects and lists/ }
const tooDeep = { code: 'BAD_USER_INPUT', message: 'The body must be nested at most 64 deep' }
const list = (length: number): string => `[${Array.from({ length: length - 1 }, () => '{}').join()}]`

t.test('objects and lists count wherever they are', (t) => {
  t.equal(count('{"query":"{ a }","variables":{"products":[{"images":[{},{}]}]}}'), 7)
  t.end()
})

t.test('what stands in a text does not count, whatever quotes and backslashes are in it', (t) => {
  for (const text of ['{[', '"{', '\\', '\\"{', '\\\\"[', 'ü{€[😀']) t.equal(count(JSON.stringify([text, {}])), 2, text)
  t.equal(count('["\\u0022{"]'), 1)
  t.end()
})

t.test('texts and numbers are none, however many there are', (t) => {
  t.equal(count(JSON.stringify(Array.from({ length: 2 * maxObjects }, (_, id) => id % 2 === 0 ? id : `${id}`))), 1)
  t.end()
})

t.test('as many as are allowed pass, and not one more', (t) => {
  t.equal(count(list(maxObjects)), maxObjects)
  t.throws(() => count(list(maxObjects + 1)), tooMany)
  t.end()
})

t.test('values of all kinds are bounded as well, and not by what stands in texts', (t) => {
  const texts = (length: number): string => `[${Array.from({ length }, () => '""').join()}]`
  t.equal(count(texts(maxValues)), 1)
  t.throws(() => count(texts(maxValues + 2)), { code: 'BAD_USER_INPUT', message: /^The body must hold at most 1000000 values/ })
  t.equal(count(JSON.stringify([','.repeat(2 * maxValues)])), 1)
  t.end()
})

t.test('64 deep passes, and not one deeper; closing makes room', (t) => {
  const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`
  t.equal(count(nested(64)), 64)
  t.throws(() => count(nested(65)), tooDeep)
  t.throws(() => count('{"a":'.repeat(1_000_000)), tooDeep)
  t.equal(count(`[${Array.from({ length: 100 }, () => nested(63)).join()}]`), 6_301)
  t.end()
})

t.test('what is no JSON does not throw here: the parser says what is wrong with it', (t) => {
  for (const text of ['', '}', ']]]]', '{', '"', '"\\', '\\"']) t.doesNotThrow(() => count(text), text)
  t.end()
})

t.test('it is the same wherever the text comes in two pieces', async (t) => {
  const json = Buffer.from('{"a\\"[{":["\\\\",{"b":"\\\\\\"{"}]}')
  for (let cut = 0; cut <= json.length; cut++) t.equal(countObjects([json.subarray(0, cut), json.subarray(cut)]), 3, json.toString('utf8', 0, cut))
})
