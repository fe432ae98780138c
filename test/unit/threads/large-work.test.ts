import t from 'tap'
import { createLargeWork, ownerOfVendor } from '../../../src/threads/large-work.js'

const turn = async (): Promise<void> => { await new Promise((resolve) => { setImmediate(resolve) }) }

t.test('of one owner one is under way at a time, in their order', async (t) => {
  const { begin } = createLargeWork()
  const begun: string[] = []
  const wait = (name: string): Promise<() => void> => begin('shop').then((over) => { begun.push(name); return over })
  const [first, second, third] = [wait('first'), wait('second'), wait('third')]
  await turn()
  t.strictSame(begun, ['first']);
  (await first)();
  (await second)()
  await third
  t.strictSame(begun, ['first', 'second', 'third'])
})

t.test('owners do not wait for each other', async (t) => {
  const { begin } = createLargeWork()
  await begin('shop')
  t.type(await begin('other'), 'function')
})

t.test('what is over twice is over once: it lets one go on', async (t) => {
  const { begin } = createLargeWork()
  const over = await begin('shop')
  const second = begin('shop')
  let hasThird = false
  void begin('shop').then(() => { hasThird = true })
  over()
  over()
  await second
  await turn()
  t.notOk(hasThird)
})

t.test('an owner whose work is over begins at once', async (t) => {
  const { begin } = createLargeWork();
  (await begin('shop'))()
  t.type(await begin('shop'), 'function')
})

t.test('no vendor is called what another owner is', (t) => {
  t.not(ownerOfVendor('user x'), 'user x')
  t.end()
})
