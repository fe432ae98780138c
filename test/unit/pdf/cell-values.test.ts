/** What a cell holds, told from its text. */
import t from 'tap'
import { goesOnBelow, isValue, valuesIn } from '../../../src/pdf/cell-values.js'

t.test('measures and sizes are values, texts and sizes in letters are none', async (t) => {
  for (const text of ['88', '86–92', '5′ 6″', '34 1/2 in', '40½', '32B', '≤ 70', '٨٨']) t.ok(isValue(text), text)
  for (const text of ['S', 'Chest', '88 centimetres', 'EU 38', '-']) t.notOk(isValue(text), text)
})

t.test('a fraction belongs to its number, both ends to a range, and two numbers are two', async (t) => {
  t.strictSame([valuesIn('5 1/2'), valuesIn('86 – 92'), valuesIn('5′ 6½″'), valuesIn('1,5'), valuesIn('38 39')], [['5 1/2'], ['86 – 92'], ['5′ 6½″'], ['1,5'], ['38', '39']])
})

t.test('a value goes on below where it has no end yet, or is followed by what is in brackets', async (t) => {
  for (const [above, below] of [['86 –', '92'], ['86 to', '92'], ['34', '1/2'], ['88', '(34)']] as const) t.ok(goesOnBelow(above, below), `${above} ${below}`)
  for (const [above, below] of [['86', '92'], ['Chest', '(cm)'], ['34.5', '1/2 in']] as const) t.notOk(goesOnBelow(above, below), `${above} ${below}`)
})
