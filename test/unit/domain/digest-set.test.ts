import t from 'tap'
import { DigestSet } from '../../../src/domain/digest-set.js'
import { productId } from '../../../src/domain/product.js'

const digest = (index: number): string => productId('acme', `P${index}`)

t.test('it holds what was added and nothing else, over many growths', async (t) => {
  const set = new DigestSet()
  const count = 50_000
  for (let index = 0; index < count; index++) set.add(digest(index))
  let missing = 0
  let strangers = 0
  for (let index = 0; index < count; index++) {
    if (!set.has(digest(index))) missing += 1
    if (set.has(digest(count + index))) strangers += 1
  }
  t.equal(missing, 0)
  t.equal(strangers, 0)
  t.equal(set.size, count)
})

t.test('adding twice counts once', async (t) => {
  const set = new DigestSet()
  for (let round = 0; round < 3; round++) for (let index = 0; index < 5_000; index++) set.add(digest(index))
  t.equal(set.size, 5_000)
})

t.test('an empty set holds nothing, not even the digest of zeros', async (t) => {
  const set = new DigestSet()
  t.notOk(set.has('A'.repeat(22)))
  set.add('A'.repeat(22))
  t.ok(set.has('A'.repeat(22)))
  t.equal(set.size, 1)
})

t.test('digests that end up in the same slots are told apart', async (t) => {
  const set = new DigestSet()
  // Same low bits, different high ones: one chain of probes.
  const chain = Array.from({ length: 1_000 }, (_, index) => `${'ABCDEFGHIJ'[index % 10]}${'ABCDEFGHIJ'[Math.floor(index / 10) % 10]}${'ABCDEFGHIJ'[Math.floor(index / 100)]}AA_____`)
  for (const [index, id] of chain.entries()) if (index % 2 === 0) set.add(id)
  t.ok(chain.every((id, index) => set.has(id) === (index % 2 === 0)))
})
