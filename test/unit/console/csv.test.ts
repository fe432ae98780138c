import t from 'tap'
import { toCsv } from '../../../src/console/ui/csv.js'

t.test('a cell with a comma, a quote or a line break is quoted', async (t) => {
  t.equal(toCsv(['a', 'b'], [['1,5', 'say "hi"\nthere']]), 'a,b\r\n"1,5","say ""hi""\nthere"\r\n')
})

t.test('what a spreadsheet would run as a formula is text', async (t) => {
  t.equal(toCsv(['a'], [['=HYPERLINK(1)'], ['@x'], ['+1'], ['-1'], [-1], [null]]), "a\r\n'=HYPERLINK(1)\r\n'@x\r\n'+1\r\n'-1\r\n-1\r\n\r\n")
})
