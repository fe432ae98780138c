import t from 'tap'
import { tidyMarkdown } from '../../../src/pdf/tidy-markdown.js'

t.test('empty code blocks, and page breaks that separate nothing, go', async (t) => {
  t.equal(tidyMarkdown('```text\n\n```\n\n-----\n\n# Shirts\n\n-----\n\n-----\n\n|a|\n\n-----\n'), '# Shirts\n\n-----\n\n|a|')
})

t.test('drawn lines go; the rows under a table\'s head stay', async (t) => {
  t.equal(tidyMarkdown('# A\n\n---\n\n| a |\n|---|\n| b |'), '# A\n\n| a |\n|---|\n| b |')
})

t.test('controls, byte order marks and marks that reorder text go; tabs and line breaks stay', async (t) => {
  t.equal(tidyMarkdown('\uFEFFa\u0000b\u0007\u202Ec\u2066\td\r\ne\u200B'), 'abc\td\ne')
})

t.test('half characters are made whole', async (t) => {
  t.equal(tidyMarkdown('a\ud83d'), 'a\ufffd')
})
