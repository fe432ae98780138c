import t from 'tap'
import { beginningsOf } from '../../../src/pdf/size-order.js'

t.test('sizes begin anew where they are smaller, the same or of another kind', async (t) => {
  t.strictSame(beginningsOf(['XS', 'S', 'M', 'XL', '2XL', '3XL', 'S', 'M', '34', '36', '36½']), [0, 6, 8])
  t.strictSame(beginningsOf(['2–3 years', '4–5 years', '10–11 years', '2–3 years']), [0, 3])
})

t.test('what is no size says nothing', async (t) => {
  t.equal(beginningsOf(['S', 'Regular', 'L']), null)
})
