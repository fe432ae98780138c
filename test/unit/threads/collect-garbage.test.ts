import t from 'tap'
import { beginCollecting, collectGarbageSoon, heldMegabytes as heldMb } from '../../../src/threads/collect-garbage.js'
import { eventually } from '../../support/eventually.js'

/** Some 40 MB, of which nothing is kept. */
const litter = (): number => JSON.parse(`[${'{},'.repeat(700_000)}{}]`).length as number

/** Once what the file's beginning has left is gone. */
async function cleanMb (): Promise<number> {
  const before = heldMb()
  beginCollecting()
  return await eventually('it is collected', () => heldMb() < before ? heldMb() : null)
}

t.test('what nobody holds any more is given back, and not while one waits for it', async (t) => {
  const before = await cleanMb()
  litter()
  t.ok(heldMb() > before + 20, `${before}, then ${heldMb()} MB`)
  beginCollecting()
  t.ok(heldMb() > before + 20, `${before}, then ${heldMb()} MB`)
  await eventually('it is given back', () => heldMb() < before + 10)
})

t.test('a heap that holds less is left alone', async (t) => {
  const before = await cleanMb()
  litter()
  await collectGarbageSoon()
  t.ok(heldMb() > before + 20, `${before}, then ${heldMb()} MB`)
})

t.test('what lies outside of the heap counts as well', async (t) => {
  const before = await cleanMb()
  // V8 keeps a string of more than a megabyte outside.
  const bytes = Buffer.alloc(2_000_000, 'x')
  let texts = Array.from({ length: 20 }, () => bytes.toString('latin1'))
  t.ok(heldMb() > before + 20, `${before}, then ${heldMb()} MB with ${texts.length} texts`)
  texts = []
  beginCollecting()
  await eventually('it is given back', () => heldMb() < before + 10)
})

t.test('who waits for a collection goes on when what was large is gone', async (t) => {
  const before = await cleanMb()
  // Three times what is ordinary, so that V8 does not find it by the way.
  let large: unknown[] | null = Array.from({ length: 6 }, () => JSON.parse(`[${'{},'.repeat(700_000)}{}]`) as unknown)
  t.ok(heldMb() > before + 100, `${before}, then ${heldMb()} MB with ${large.length} lists`)
  large = null
  await collectGarbageSoon(60_000)
  t.ok(heldMb() < before + 60, `${before}, then ${heldMb()} MB`)
})

t.test('nobody waits where what is held is ordinary', async (t) => {
  let waits = true
  void collectGarbageSoon().then(() => { waits = false })
  for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => { setImmediate(resolve) })
  t.notOk(waits, `${heldMb()} MB`)
})

t.test('where there is no room to ask for a collection, whoever waits for one goes on', async (t) => {
  const large = Array.from({ length: 4 }, () => JSON.parse(`[${'{},'.repeat(700_000)}{}]`) as unknown)
  const { ArrayBuffer: real } = globalThis
  let asked = 0
  t.teardown(() => { globalThis.ArrayBuffer = real })
  globalThis.ArrayBuffer = class {
    constructor () {
      asked += 1
      throw new RangeError('Array buffer allocation failed')
    }
  } as unknown as ArrayBufferConstructor
  await collectGarbageSoon()
  globalThis.ArrayBuffer = real
  t.equal(asked, 1, `with ${large.length} lists`)
})

t.test('to collect takes no memory', (t) => {
  const { rss } = process.memoryUsage()
  for (let n = 0; n < 5; n++) beginCollecting()
  t.ok(process.memoryUsage().rss < rss + 60e6)
  t.end()
})
