import t from 'tap'
import { beginCollecting, collectGarbageSoon, heldMegabytes as heldMb } from '../../../src/threads/collect-garbage.js'
import { eventually } from '../../support/eventually.js'

/** Some 40 MB, of which nothing is kept. */
const litter = (): number => JSON.parse(`[${'{},'.repeat(700_000)}{}]`).length as number

const ends = new FinalizationRegistry<() => void>((ended) => { ended() })
const hearOfEnd = (ended: () => void): void => { ends.register({}, ended) }

/** Megabytes held once what the tests before have left is gone. Asks again: a collection that was under way takes no more than what was garbage as it began. */
async function cleanMb (): Promise<number> {
  let isClean = false
  // In a function of its own: V8 would hold what this one has made for as long as it waits.
  hearOfEnd(() => { isClean = true })
  await eventually('it is collected', () => {
    if (!isClean) beginCollecting()
    return isClean
  })
  return heldMb()
}

function isGivenBack (before: number): boolean {
  if (heldMb() < before + 10) return true
  beginCollecting()
  return false
}

const turn = async (): Promise<void> => { await new Promise((resolve) => { setImmediate(resolve) }) }

/** How often a collection is asked for while one waits for it, and where there is no room, in vain. */
async function countAsks (hasRoom: boolean): Promise<number> {
  const { ArrayBuffer: real } = globalThis
  let asks = 0
  globalThis.ArrayBuffer = new Proxy(real, {
    construct: (constructor, args) => {
      asks += 1
      if (!hasRoom) throw new RangeError('Array buffer allocation failed')
      return Reflect.construct(constructor, args) as object
    }
  })
  try {
    await collectGarbageSoon()
  } finally {
    globalThis.ArrayBuffer = real
  }
  return asks
}

t.test('what nobody holds any more is given back, and not while one waits for it', async (t) => {
  const before = await cleanMb()
  litter()
  t.ok(heldMb() > before + 20, `${before}, then ${heldMb()} MB`)
  beginCollecting()
  t.ok(heldMb() > before + 20, `${before}, then ${heldMb()} MB`)
  await eventually('it is given back', () => isGivenBack(before))
})

t.test('a heap that holds less is left alone', async (t) => {
  await cleanMb()
  litter()
  t.equal(await countAsks(true), 0, `${heldMb()} MB`)
})

t.test('what lies outside of the heap counts as well', async (t) => {
  const before = await cleanMb()
  // V8 keeps a string of more than a megabyte outside.
  const bytes = Buffer.alloc(2_000_000, 'x')
  let texts = Array.from({ length: 20 }, () => bytes.toString('latin1'))
  t.ok(heldMb() > before + 20, `${before}, then ${heldMb()} MB with ${texts.length} texts`)
  texts = []
  beginCollecting()
  await eventually('it is given back', () => isGivenBack(before))
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

t.test('who waits hears of the end where a collection had begun before', { timeout: 30_000 }, async (t) => {
  // Several times, as it is V8 that says when it is through.
  for (let n = 0; n < 4; n++) {
    const before = await cleanMb()
    let large: unknown[] | null = Array.from({ length: 3 }, () => JSON.parse(`[${'{},'.repeat(700_000)}{}]`) as unknown)
    t.ok(heldMb() > before + 60, `${before}, then ${heldMb()} MB with ${large.length} lists`)
    // As late as can be before it asks itself, in the same turn.
    const begun = turn().then(turn).then(() => {
      beginCollecting()
      large = null
    })
    await collectGarbageSoon(600_000)
    await begun
    t.ok(heldMb() < before + 60, `${before}, then ${heldMb()} MB`)
  }
})

t.test('nobody waits where what is held is ordinary', async (t) => {
  await cleanMb()
  let waits = true
  void collectGarbageSoon().then(() => { waits = false })
  for (let turns = 0; turns < 5; turns++) await turn()
  t.notOk(waits, `${heldMb()} MB`)
})

t.test('where there is no room to ask for a collection, whoever waits for one goes on', async (t) => {
  const large = Array.from({ length: 4 }, () => JSON.parse(`[${'{},'.repeat(700_000)}{}]`) as unknown)
  t.ok(await countAsks(false) > 0, `with ${large.length} lists`)
})

t.test('to collect takes no memory', (t) => {
  const { rss } = process.memoryUsage()
  for (let n = 0; n < 5; n++) beginCollecting()
  t.ok(process.memoryUsage().rss < rss + 60e6)
  t.end()
})
