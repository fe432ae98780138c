import { hash } from 'node:crypto'
import t from 'tap'
import { LiveProducts } from '../../../src/domain/live-products.js'
import { productId } from '../../../src/domain/product.js'

const id = (name: string): string => productId('acme', name)
const digest = (text: string): string => hash('sha256', text, 'base64').slice(0, 20)

function liveProducts (count: number): LiveProducts {
  const live = new LiveProducts()
  for (let index = 0; index < count; index++) live.add(id(`P${index}`), digest(`line ${index}`))
  return live
}

t.test('a product is unchanged by the line that it was last given, and by no other', async (t) => {
  const live = liveProducts(20_000)
  let known = 0
  let mistaken = 0
  for (let index = 0; index < 20_000; index++) {
    if (live.isUnchanged(id(`P${index}`), digest(`line ${index}`))) known += 1
    if (live.isUnchanged(id(`P${index}`), digest(`line ${index + 1}`)) || live.isUnchanged(id(`Q${index}`), digest(`line ${index}`))) mistaken += 1
  }
  t.strictSame([live.size, known, mistaken], [20_000, 20_000, 0])
})

t.test('of a product without a known line none is unchanged, not even the one whose digest is zeros', async (t) => {
  const live = new LiveProducts()
  live.add(id('a'), null)
  t.notOk(live.isUnchanged(id('a'), digest('line')))
  t.notOk(live.isUnchanged(id('a'), 'A'.repeat(20)))
})

t.test('what may change a product makes its line unknown, what leaves it as it is does not', async (t) => {
  const live = liveProducts(2)
  live.name(id('P0'))
  live.change(id('P1'))
  t.ok(live.isUnchanged(id('P0'), digest('line 0')))
  t.notOk(live.isUnchanged(id('P1'), digest('line 1')))
})

t.test('absent is what was live and has not been named, either way', async (t) => {
  const live = liveProducts(4)
  live.name(id('P0'))
  live.change(id('P1'))
  live.change(id('new'))
  t.strictSame(['P0', 'P1', 'P2', 'P3', 'new'].map((name) => live.isAbsent(id(name))), [false, false, true, true, false])
  t.equal(live.unnamed, 2)
})

t.test('a product that is named several times counts once', async (t) => {
  const live = liveProducts(3)
  for (let round = 0; round < 3; round++) {
    live.name(id('P0'))
    live.change(id('P0'))
  }
  t.equal(live.unnamed, 2)
})

t.test('naming a product that was not live is naming one', async (t) => {
  const live = liveProducts(0)
  t.notOk(live.namesAny)
  live.change(id('new'))
  t.ok(live.namesAny)
  t.strictSame([live.size, live.unnamed], [0, 0])
})

t.test('reading a product again brings its line up to date', async (t) => {
  const live = liveProducts(2)
  live.add(id('P0'), digest('later'))
  live.add(id('P1'), null)
  t.equal(live.size, 2)
  t.ok(live.isUnchanged(id('P0'), digest('later')))
  t.notOk(live.isUnchanged(id('P1'), digest('line 1')))
})
