/** What is decoded here is what the driver makes of it, and what is not is left to the driver. */
import fc from 'fast-check'
import { Binary, BSON, Long, ObjectId } from 'mongodb'
import t from 'tap'
import { NameTable } from '../../../../src/store/database/bson-elements.js'
import { decodeElements } from '../../../../src/store/database/decode-elements.js'

const names = new NameTable<string>(['name', 'price', 'größe'].map((name) => [name, name]))
const decode = (bytes: Uint8Array): Record<string, unknown> | null => decodeElements(bytes, [{ from: 4, to: bytes.length - 1 }], names)

const key = fc.oneof(fc.constantFrom('name', 'price', 'größe', 'toString', 'names'), fc.string({ unit: 'grapheme', maxLength: 30 }).filter((name) => !/[\0$]/.test(name) && name !== '__proto__'))
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 40 }), fc.string({ unit: 'binary', maxLength: 5 }), fc.integer(), fc.double(), fc.maxSafeInteger(), fc.boolean(), fc.constant(null),
      fc.date({ noInvalidDate: true }), fc.bigInt({ min: -(2n ** 53n) + 1n, max: 2n ** 53n - 1n }).map((number) => Long.fromBigInt(number))
    ),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4 })
  )
}))

t.test('whatever a document holds, it is what the driver makes of it', async () => {
  fc.assert(fc.property(fc.dictionary(key, value), (document) => {
    const bytes = BSON.serialize(document)
    // Key by key, as its order is what is stored again.
    if (BSON.EJSON.stringify(decode(bytes) ?? 'left to the driver') !== BSON.EJSON.stringify(BSON.deserialize(bytes))) throw new Error('another document')
  }), { numRuns: 3_000 })
})

t.test('whatever becomes of its bytes, it is what the driver makes of them, or is left to the driver', async () => {
  const bytes = BSON.serialize({ name: 'Größe', price: [1, 2.5, { größe: new Date(1) }], none: null, yes: true, many: Long.fromNumber(2 ** 40), list: ['a', 'b'] })
  fc.assert(fc.property(fc.array(fc.tuple(fc.integer({ min: 4, max: bytes.length - 2 }), fc.nat(255)), { minLength: 1, maxLength: 3 }), (changes) => {
    const changed = Uint8Array.from(bytes)
    for (const [at, byte] of changes) changed[at] = byte
    let found: object | null = null
    try {
      found = decode(changed)
    } catch { /* as the driver does */ }
    if (found !== null && BSON.EJSON.stringify(found) !== BSON.EJSON.stringify(BSON.deserialize(changed))) throw new Error('another document')
  }), { numRuns: 5_000 })
})

t.test('some elements of a document are decoded into one', async (t) => {
  const bytes = BSON.serialize({ name: 'a', price: 1, größe: 2 })
  const behindName = 4 + 1 + 'name'.length + 1 + 4 + 'a'.length + 1
  const behindPrice = behindName + 1 + 'price'.length + 1 + 4
  t.strictSame(decodeElements(bytes, [{ from: 4, to: behindName }, { from: behindPrice, to: bytes.length - 1 }], names), { name: 'a', größe: 2 })
  t.strictSame(decodeElements(bytes, [], names), {})
})

t.test('a text that is no UTF-8 is refused, as by the driver', async (t) => {
  const bytes = Buffer.from(BSON.serialize({ name: 'Größe' }))
  bytes[bytes.indexOf('ö')] = 0xFF
  t.throws(() => BSON.deserialize(bytes))
  t.throws(() => decode(bytes))
})

const deep = (levels: number): object => levels === 0 ? {} : { a: deep(levels - 1) }
for (const [what, document] of Object.entries({
  'an ObjectId': { a: new ObjectId() },
  'binary data': { a: [new Binary(Buffer.from('a'))] },
  'a reference': { a: { $ref: 'b', $id: 'c' } },
  'a name that means something to JavaScript': { a: JSON.parse('{"__proto__":1}') as object },
  'a number that is none of JavaScript\'s': { a: Long.MAX_VALUE },
  'what is nested without end': deep(1_000)
})) {
  t.test(`${what} is left to the driver`, async (t) => { t.equal(decode(BSON.serialize(document)), null) })
}
