import t from 'tap'
import { maxFaults } from '../../../src/domain/issue.js'
import { Envelope } from '../../../src/engine/envelope.js'
import { inOrder, perRecord, type Stage } from '../../../src/engine/stage.js'

const envelope = <T>(value: T | null, line = 1): Envelope<T> => new Envelope({ file: 0, line }, value)

t.test('a record is rejected as soon as it has a fault', async (t) => {
  const one = envelope(1)
  t.notOk(one.rejected)
  one.warn({ code: 'unknown-image', path: 'a' })
  t.notOk(one.rejected)
  one.reject({ code: 'blank', path: 'name' })
  t.ok(one.rejected)
})

t.test('envelopes do not share faults or warnings', async (t) => {
  const one = envelope(1)
  const other = envelope(2)
  one.reject({ code: 'blank', path: 'name' })
  one.warn({ code: 'unknown-image', path: 'a' })
  t.strictSame([other.faults, other.warnings], [[], []])
})

t.test('a hostile record cannot gather faults or warnings without bound', async (t) => {
  const one = envelope(1)
  for (let index = 0; index < 1_000; index++) {
    one.reject({ code: 'blank', path: 'name' })
    one.warn({ code: 'unknown-image', path: 'a' })
  }
  t.strictSame([one.faults.length, one.warnings.length], [maxFaults, maxFaults])
})

t.test('a stage of one record keeps place and number, and is not called for what could not be read', async (t) => {
  const seen: number[] = []
  const double: Stage<number, number> = perRecord((value) => {
    seen.push(value)
    return value * 2
  })
  const batch = await double([envelope(1, 1), envelope<number>(null, 2), envelope(3, 3)])
  t.strictSame(batch.map(({ position, value }) => [position.line, value]), [[1, 2], [2, null], [3, 6]])
  t.strictSame(seen, [1, 3])
})

t.test('a rejected record goes on, so that one message can name every fault', async (t) => {
  const find = (path: string): Stage<number, number> => perRecord((value, one) => {
    one.reject({ code: 'blank', path })
    return value
  })
  const [one] = await inOrder(find('a'), find('b'))([envelope(1)])
  t.strictSame(one?.faults.map(({ path }) => path), ['a', 'b'])
})

t.test('stages run in order, whether synchronous or not', async (t) => {
  const append = (letter: string): Stage<string, string> => perRecord((value) => value + letter)
  const later: Stage<string, string> = async (batch) => await append('b')(batch)
  const [mixed] = await inOrder(append('a'), later, append('c'), later)([envelope('')])
  t.equal(mixed?.value, 'abcb')
  t.notOk(inOrder(append('a'), append('b'))([envelope('')]) instanceof Promise, 'synchronous stages stay synchronous')
})
