import t from 'tap'
import { tidyText } from '../../../src/pdf/tidy-text.js'

t.test('controls, byte order marks and marks that reorder text go; tabs and line breaks stay', async (t) => {
  t.equal(tidyText('\uFEFFa\u0000b\u0007\u202Ec\u2066\td\ne\u200B'), 'abc\td\ne')
})

t.test('half characters are made whole', async (t) => {
  t.equal(tidyText('a\ud83d'), 'a\ufffd')
})
