/** Pages of any list, on a server that looks at all that matches, are those of one that stops at a limit; and a command looks at about a page. */
import type { Document } from 'mongodb'
import t from 'tap'
import type { CountedRange } from '../../../../src/store/database/counted.js'
import { findInRanges } from '../../../../src/store/database/find-in-ranges.js'
import { mongodb, secantusdb, type ServerProfile } from '../../../../src/store/database/server-profile.js'
import { withProfile } from '../../../support/with-profile.js'

interface Item extends Document { name: string }

const byBytes = (a: string, b: string): number => Buffer.from(a).compare(Buffer.from(b))

/** A list in memory: what is asked of it, and how many match each time. */
function listOf (given: string[], profile: ServerProfile = secantusdb) {
  const collection = withProfile({}, profile)
  let names = given.toSorted(byBytes)
  const looked: number[] = []
  /** How many are before this text. */
  function rankOf (text: string, isIncluded: boolean): number {
    let [low, high] = [0, names.length]
    while (low < high) {
      const middle = (low + high) >> 1
      const order = byBytes(names[middle] ?? '', text)
      if (order < 0 || (order === 0 && isIncluded)) low = middle + 1
      else high = middle
    }
    return low
  }
  function matchingOf ({ $gt, $gte, $lt, ...others }: Record<string, string>): string[] {
    if (Object.keys(others).length > 0) throw new Error(Object.keys(others).join())
    const from = $gt !== undefined ? rankOf($gt, true) : $gte !== undefined ? rankOf($gte, false) : 0
    return names.slice(from, $lt === undefined ? names.length : rankOf($lt, false))
  }
  return {
    looked,
    become: (others: string[]) => { names = others.toSorted(byBytes) },
    get names () { return names },
    async page (after: string | null, limit: number, isWanted: ((name: string) => boolean) | null = null, mostTaken = Infinity, asRead: { beginning?: number } = {}): Promise<string[]> {
      const read = async (range: CountedRange, limit: number): Promise<Item[]> => {
        const matching = matchingOf(range ?? {})
        looked.push(matching.length)
        if (limit > mostTaken) throw new Error('too much for this answer')
        return matching.filter((name) => isWanted === null || isWanted(name)).slice(0, limit).map((name) => ({ name }))
      }
      return (await findInRanges<Item>(collection, { list: 'all', along: 'name', read, isSifted: isWanted !== null, ...asRead }, { after, limit })).map(({ name }) => name)
    }
  }
}

let seed = 1
const random = (below: number): number => { seed = (seed * 48_271) % 2_147_483_647; return seed % below }
const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index))
const hex = (length: number): string => many(length, () => '0123456789abcdef'[random(16)]).join('')

const kinds: Record<string, string[]> = {
  'numbers with zeros before them': many(20_000, (index) => `sku-${String(index).padStart(8, '0')}`),
  'numbers as they are': many(20_000, (index) => String(index * 7)),
  'random ids': many(20_000, () => hex(36)),
  'several brands\' numbers': many(20_000, (index) => `${['acme', 'b', 'zeta-long-name', 'ωμέγα', '\u{1F697}'][index % 5] ?? ''}-${index}`),
  'texts that hold each other': many(300, (index) => 'x'.repeat(index + 1)),
  one: ['only'],
  none: []
}

async function walk (list: ReturnType<typeof listOf>, limit: number, most = Infinity): Promise<string[]> {
  const found: string[] = []
  while (found.length < most) {
    const page = await list.page(found.at(-1) ?? null, limit)
    found.push(...page)
    if (page.length < limit) break
  }
  return found
}

for (const [kind, names] of Object.entries(kinds)) {
  t.test(`${kind}: each is on one page, in the order of its bytes`, async (t) => {
    for (const limit of [1, 11, 201]) {
      const list = listOf(names)
      const most = limit * 40
      t.strictSame((await walk(list, limit, most)).slice(0, most), list.names.slice(0, most))
      t.strictSame(await list.page(null, limit), list.names.slice(0, limit), 'its beginning again')
      const at = list.names[Math.floor(names.length / 2)] ?? 'm'
      t.strictSame(await listOf(names).page(at, limit), list.names.filter((name) => byBytes(name, at) > 0).slice(0, limit), 'from the middle, of which nothing is known')
    }
  })
}

for (const kind of ['numbers with zeros before them', 'numbers as they are', 'random ids', 'several brands\' numbers']) {
  t.test(`${kind}: what commands look at is some pages, and there are few of them`, async (t) => {
    const list = listOf(kinds[kind] ?? [])
    await list.page(null, 11)
    const [sums, counts]: [number[], number[]] = [[], []]
    for (let page = 0; page < 300; page++) {
      list.looked.length = 0
      await list.page(page === 0 ? null : list.names[random(list.names.length - 300)] ?? null, 11)
      sums.push(list.looked.reduce((sum, count) => sum + count, 0))
      counts.push(list.looked.length)
    }
    const middle = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] ?? NaN
    t.comment(`looked at: ${middle(sums)} of 20,000, at most ${sums.at(-1)}; commands: ${middle(counts)}, at most ${counts.at(-1)}`)
    t.ok(middle(sums) < 200)
    // Where the next number has a digit more, or another brand begins.
    t.ok((sums.at(-1) ?? NaN) < 10_000)
    t.ok(middle(counts) <= 5)
    t.ok((counts.at(-1) ?? NaN) <= 20)
  })
}

t.test('a list that becomes another one is read right, and its pages are pages again', async (t) => {
  const list = listOf(kinds['random ids'] ?? [])
  await walk(list, 11, 50)
  list.become(kinds['numbers with zeros before them'] ?? [])
  t.strictSame(await walk(list, 11, 200), list.names.slice(0, 209))
  list.looked.length = 0
  await list.page(null, 11)
  t.ok(list.looked.every((count) => count < 200))
  list.become(['a'])
  t.strictSame(await list.page(null, 11), ['a'])
  list.become(kinds['random ids'] ?? [])
  await list.page(null, 11)
  list.looked.length = 0
  t.strictSame(await list.page(null, 11), list.names.slice(0, 11))
  t.ok(list.looked.every((count) => count < 200), 'one that was short and has grown')
})

t.test('a list with a beginning of its own is one command for any length of it, and nothing behind that is looked at', async (t) => {
  const list = listOf(kinds['random ids'] ?? [])
  const beginning = async (limit: number): Promise<string[]> => await list.page(null, limit, null, Infinity, { beginning: 112 })
  t.strictSame(await beginning(60), list.names.slice(0, 60))
  list.looked.length = 0
  for (const limit of [112, 57]) t.strictSame(await beginning(limit), list.names.slice(0, limit))
  t.strictSame(list.looked, [112, 112])
})

t.test('a server that stops at a limit reads no more of such a list than is wanted', async (t) => {
  const list = listOf(kinds['random ids'] ?? [], mongodb)
  t.equal((await list.page(null, 57, null, 57, { beginning: 112 })).length, 57)
})

t.test('a short list is one command, whatever is asked for', async (t) => {
  const list = listOf(['a', 'b', 'c'])
  await list.page(null, 11)
  list.looked.length = 0
  await list.page(null, 11)
  t.equal(list.looked.length, 1)
})

t.test('what is wanted among much that is not is found, and does not spoil the list for others', async (t) => {
  const list = listOf(kinds['numbers with zeros before them'] ?? [])
  await list.page(null, 11)
  const isWanted = (name: string): boolean => name.endsWith('777')
  t.strictSame(await list.page(null, 11, isWanted), list.names.filter(isWanted).slice(0, 11))
  t.strictSame(await list.page(list.names[15_000] ?? null, 11, isWanted), list.names.slice(15_001).filter(isWanted).slice(0, 11))
  list.looked.length = 0
  await list.page(null, 11)
  t.ok(list.looked.every((count) => count < 200))
})

t.test('who asks for a short page does not look at what a long one has', async (t) => {
  const list = listOf(kinds['random ids'] ?? [])
  for (let round = 0; round < 2; round++) t.strictSame(await list.page(null, 1_001), list.names.slice(0, 1_001))
  list.looked.length = 0
  t.strictSame(await list.page(null, 11), list.names.slice(0, 11))
  t.ok(list.looked.every((count) => count <= 50))
})

t.test('all of a list is looked at once, also where a long page of it is refused each time', async (t) => {
  for (const [kind, names] of Object.entries(kinds).filter(([, { length }]) => length > 1_000)) {
    const list = listOf(names)
    for (let round = 0; round < 3; round++) {
      await t.rejects(list.page(null, 1_000, null, 500), /too much/, kind)
      t.equal(list.looked.filter((count) => count === names.length).length, 1)
    }
  }
})

t.test('a server that stops at a limit is asked once', async (t) => {
  const list = listOf(kinds['random ids'] ?? [], mongodb)
  await walk(list, 11, 100)
  t.equal(list.looked.length, 10)
})
