import t, { type Test } from 'tap'
import { PendingProducts } from '../../../src/domain/pending-products.js'
import { Envelope, type Batch } from '../../../src/engine/envelope.js'
import { changingProducts, parseUnlessKnown } from '../../../src/stages/parse-unless-known.js'

/** The stage beside products that know these lines. `asked`: the external ids of each look-up. */
function stageOver (known: string[]): { read (...texts: string[]): Promise<Batch<Record<string, unknown>>>, asked: string[][], pending: PendingProducts } {
  const asked: string[][] = []
  const pending = new PendingProducts()
  const stage = parseUnlessKnown({
    pending,
    async unchangedAmong (lines) {
      asked.push([...lines.keys()])
      return new Set(Array.from(lines).filter(([externalId, text]) => known.includes(text) && (JSON.parse(text) as { externalId: string }).externalId === externalId).map(([id]) => id))
    }
  })
  let line = 0
  return { asked, pending, read: async (...texts) => await stage(texts.map((text) => new Envelope({ file: 0, line: ++line }, text))) }
}

const text = (externalId: string, name = 'x'): string => JSON.stringify({ externalId, name })
const unchangedOf = (batch: Batch<unknown>): boolean[] => batch.map(({ unchanged }) => unchanged)
const parsesAll = (t: Test, batch: Batch<Record<string, unknown>>): void => {
  for (const { value, unchanged } of batch) {
    t.type(value, 'object')
    t.equal(unchanged, false)
  }
}

t.test('a line that its product knows is not parsed, and keeps its place and its external id', async (t) => {
  const { read } = stageOver([text('a')])
  const [first, second] = await read(text('b'), text('a'))
  t.match(first, { value: { externalId: 'b' }, externalId: 'b', unchanged: false })
  t.match(second, { value: null, externalId: 'a', unchanged: true, position: { line: 2 }, faults: [] })
})

t.test('a line whose text differs by a byte is parsed', async (t) => {
  parsesAll(t, await stageOver([text('a')]).read(` ${text('a')}`))
})

t.test('what cannot be read is rejected as ever, beside lines that are known', async (t) => {
  const [bad, known] = await stageOver([text('a')]).read('{"externalId":"b"', text('a'))
  t.match(bad, { value: null, unchanged: false, faults: [{ code: 'malformed-json' }] })
  t.equal(known?.unchanged, true)
})

t.test('an external id that is not the first one, or is written with escapes, costs only time', async (t) => {
  const nested = '{"variants":[{"externalId":"v"}],"externalId":"a"}'
  const escaped = '{"externalId":"\\u0061"}'
  parsesAll(t, await stageOver([nested, escaped]).read(nested, escaped))
})

t.test('a product with several lines in a batch is not asked for', async (t) => {
  const { read, asked } = stageOver([text('a'), text('b')])
  const batch = await read(text('a'), text('b'), text('a', 'y'))
  t.strictSame(asked, [['b']])
  t.strictSame(unchangedOf(batch), [false, true, false])
})

t.test('a known line is parsed after all when another line of the batch turns out to be of its product', async (t) => {
  const hidden = '{"variants":[{"externalId":"v"}],"externalId":"a","name":"new"}'
  for (const lines of [[text('a'), hidden], [hidden, text('a')]]) parsesAll(t, await stageOver([text('a')]).read(...lines))
})

t.test('a product of which lines are on their way to the database is not asked for until they are there', async (t) => {
  const { read, asked, pending } = stageOver([text('a'), text('b')])
  const ahead = await read(text('a', 'changed'), text('b'))
  const batch = await read(text('a'), text('b'))
  t.strictSame(asked, [['a', 'b'], ['b']])
  t.strictSame(unchangedOf(batch), [false, true])
  pending.remove(changingProducts(ahead))
  pending.remove(changingProducts(batch))
  t.strictSame(unchangedOf(await read(text('a'), text('b'))), [true, true])
})

t.test('what is taken out of the way is what was put there, whatever became of a line', async (t) => {
  const { read, pending } = stageOver([text('known')])
  const batch = await read(text('a'), text('a', 'y'), text('known'), '{', '[]', '{"name":"x"}', '{"externalId":"bad","name":7}')
  for (const id of ['a', 'bad']) t.ok(pending.has(id), id)
  t.notOk(pending.has('known'))
  pending.remove(changingProducts(batch))
  for (const id of ['a', 'bad']) t.notOk(pending.has(id), id)
})

t.test('where little is known, products are asked for only now and then', async (t) => {
  const { read, asked } = stageOver([])
  for (let batch = 0; batch < 18; batch++) await read(text(`P${batch}`))
  t.strictSame(asked, [['P0'], ['P9']])
})

t.test('an external id of any characters but escapes is found, __proto__ included', async (t) => {
  const odd = ['__proto__', 'constructor', '日本 €', '$where', 'a.b', ' a ']
  const lines = odd.map((id) => JSON.stringify({ externalId: id }))
  t.strictSame(unchangedOf(await stageOver(lines).read(...lines)), odd.map(() => true))
})
