/** What is only passed by is passed by exactly, and bytes that are no document are refused. */
import fc from 'fast-check'
import { Binary, BSON, Code, Decimal128, Int32, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'mongodb'
import t from 'tap'
import { Elements, NameTable } from '../../../../src/store/database/bson-elements.js'

const everyType = {
  double: 1.5, text: 'Größe', empty: '', document: { a: { b: [] } }, list: [1, 'two', { three: 3 }], binary: new Binary(Buffer.from('bytes')), id: new ObjectId(), yes: true, at: new Date(1), none: null,
  code: new Code('1'), scoped: new Code('1', { a: 1 }), int32: new Int32(7), timestamp: new Timestamp({ t: 1, i: 2 }), int64: Long.fromNumber(7), decimal: Decimal128.fromString('1.5'), most: new MaxKey(), least: new MinKey()
}
const bytes = BSON.serialize(everyType)

interface Found { name: string, from: number, to: number }

function elementsOf (of: Uint8Array): Found[] {
  const found: Found[] = []
  for (const element = new Elements(of); element.next();) found.push({ name: Buffer.from(of.subarray(element.nameFrom, element.nameTo)).toString(), from: element.from, to: element.to })
  return found
}

t.test('elements of every type are found, one behind the other', async (t) => {
  const found = elementsOf(bytes)
  t.strictSame(found.map(({ name }) => name), Object.keys(everyType))
  t.strictSame(found.map(({ from }) => from), [4, ...found.slice(0, -1).map(({ to }) => to)])
  t.equal(found.at(-1)?.to, bytes.length - 1)
})

t.test('a document without fields has no elements', async (t) => {
  t.strictSame(elementsOf(BSON.serialize({})), [])
})

t.test('a document that is cut off anywhere is refused', async (t) => {
  for (let length = 0; length < bytes.length; length++) t.throws(() => elementsOf(bytes.subarray(0, length)), `${length} bytes`)
})

t.test('a value whose length cannot be told is refused by its type', async (t) => {
  t.throws(() => elementsOf(BSON.serialize({ a: /x/ })), { message: 'BSON of the type 11 cannot be passed by' })
})

t.test('whatever its bytes are, it ends, and what it finds lies within', async () => {
  fc.assert(fc.property(fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { maxLength: 4 }), (changes) => {
    const changed = Uint8Array.from(bytes)
    for (const [at, byte] of changes) changed[at] = byte
    let found: Found[] = []
    try {
      found = elementsOf(changed)
    } catch {
      return
    }
    for (const [index, { from, to }] of found.entries()) if (from !== (found[index - 1]?.to ?? 4) || to > bytes.length - 1) throw new Error(`an element from ${from} to ${to}`)
  }), { numRuns: 2_000 })
})

t.test('a name stands for what it was told to, and no other name does', async (t) => {
  const table = new NameTable<number>([['name', 1], ['size', 2], ['größe', 3]])
  const get = (name: string): number | undefined => table.get(Buffer.from(`..${name}\0`), 2, 2 + Buffer.byteLength(name))
  t.strictSame(['name', 'size', 'größe'].map(get), [1, 2, 3])
  for (const other of ['', 'n', 'nam', 'names', 'sise', 'größé', 'length']) t.equal(get(other), undefined, other)
})
