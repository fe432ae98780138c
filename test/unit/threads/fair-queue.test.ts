import t from 'tap'
import { createFairQueue, type FairQueue } from '../../../src/threads/fair-queue.js'

const queueOf = (...items: string[]): FairQueue<string> => {
  const queue = createFairQueue<string>()
  for (const item of items) queue.add(ownerOf(item), item)
  return queue
}
const ownerOf = (item: string): string => item.slice(0, 1)
function drain (queue: FairQueue<string>): string[] {
  const order: string[] = []
  for (let item = queue.next(); item !== undefined; item = queue.next()) {
    order.push(item)
    queue.over(ownerOf(item))
  }
  return order
}

t.test('owners take turns, however many of one wait', (t) => {
  t.strictSame(drain(queueOf('a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2')), ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4'])
  t.end()
})

t.test('of one owner one goes at a time', (t) => {
  const queue = queueOf('a1', 'a2', 'b1')
  t.equal(queue.next(), 'a1')
  t.equal(queue.next(), 'b1')
  t.notOk(queue.isReady)
  t.equal(queue.next(), undefined)
  queue.over('a')
  t.equal(queue.next(), 'a2')
  t.end()
})

t.test('one that is taken out does not go, and keeps nobody waiting', (t) => {
  const queue = queueOf('a1', 'a2', 'b1')
  t.ok(queue.remove('a', 'a1'))
  t.notOk(queue.remove('a', 'a1'))
  t.notOk(queue.remove('z', 'z1'))
  t.equal(queue.waiting, 2)
  t.strictSame(drain(queue), ['a2', 'b1'])
  t.end()
})

t.test('cleared, it gives all that wait, and takes more', (t) => {
  const queue = queueOf('a1', 'a2', 'b1')
  t.equal(queue.next(), 'a1')
  t.strictSame(queue.clear(), ['a2', 'b1'])
  t.equal(queue.waiting, 0)
  queue.add('a', 'a3')
  t.equal(queue.next(), undefined, 'its owner still has one under way')
  queue.over('a')
  t.equal(queue.next(), 'a3')
  t.end()
})

t.test('the end of one that was never taken changes nothing', (t) => {
  const queue = queueOf('a1')
  queue.over('nobody')
  t.strictSame(drain(queue), ['a1'])
  t.end()
})
