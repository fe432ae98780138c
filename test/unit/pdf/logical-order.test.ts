/** From the order that is seen to the order that is read; garbled fonts. */
import t from 'tap'
import { isGarbled } from '../../../src/pdf/garbled.js'
import { logicalOrder } from '../../../src/pdf/logical-order.js'

const read = (...seen: string[]): string => logicalOrder(seen.map((text) => ({ text }))).map(({ text }) => text).join(' ')

t.test('what is written from right to left is read from the right, the numbers and Latin words in it are not', async (t) => {
  t.equal(read('חזה', 'מידה'), 'מידה חזה')
  t.equal(read('cm', '88', 'חזה', 'מידה'), 'מידה חזה cm 88')
  t.equal(read('Chest', '88', 'cm'), 'Chest 88 cm')
})

t.test('in a Latin text the words from right to left are turned by themselves', async (t) => {
  t.equal(read('Size', 'חזה', 'מידה', 'of', 'shirt'), 'Size מידה חזה of shirt')
})

t.test('a page of characters that no font names is garbled, one with a few bullets is not', async (t) => {
  const page = (unnamed: number): boolean => isGarbled({ glyphs: Array.from({ length: 100 }, (_, at) => ({ text: at < unnamed ? '\ue000' : 'a', left: 0, right: 5, baseline: 0, size: 10, run: 0, order: at })) })
  t.strictSame([page(3), page(4), page(100)], [false, true, true])
})
