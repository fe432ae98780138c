import t from 'tap'
import { createWindowCounts } from '../../../src/api/window-counts.js'

function counts ({ maxKeys = 10 } = {}) {
  let now = 1_000
  return { ...createWindowCounts({ windowMs: 60, maxKeys, monotonicMs: () => now }), pass (ms: number) { now += ms } }
}

t.test('each key is counted by itself, until its window is over', async (t) => {
  const { add, look, pass } = counts()
  t.strictSame(add('a'), { count: 1, leftMs: 60 })
  pass(20)
  t.strictSame(add('a'), { count: 2, leftMs: 40 })
  t.strictSame(add('b'), { count: 1, leftMs: 60 })
  t.strictSame(look('a'), { count: 2, leftMs: 40 })
})

t.test('to look counts nothing', async (t) => {
  const { add, look } = counts()
  t.strictSame(look('a'), { count: 0, leftMs: 0 })
  look('a')
  t.equal(add('a').count, 1)
})

t.test('a window ends when it is over, however often is counted in it', async (t) => {
  const { add, look, pass } = counts()
  for (let n = 0; n < 6; n++) {
    add('a')
    pass(10)
  }
  t.strictSame(look('a'), { count: 0, leftMs: 0 })
  t.strictSame(add('a'), { count: 1, leftMs: 60 })
})

t.test('of too many keys the one that was least recently counted is forgotten', async (t) => {
  const { add, look } = counts({ maxKeys: 2 })
  add('a')
  add('b')
  add('a')
  add('c')
  t.equal(look('a').count, 2)
  t.equal(look('b').count, 0)
  t.equal(look('c').count, 1)
})

t.test('keys of strangers do not push out who is counted again and again', async (t) => {
  const { add } = counts({ maxKeys: 3 })
  for (let n = 0; n < 100; n++) {
    add(`stranger ${n}`)
    t.equal(add('known').count, n + 1)
  }
})
