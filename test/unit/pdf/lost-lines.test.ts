/** What speaks against the places of a table's texts. */
import t from 'tap'
import { isAboveHead, isCutInTwo, isOffItsRows, isRowCutInTwo, runsOn } from '../../../src/pdf/lost-lines.js'
import type { Table } from '../../../src/pdf/page-model.js'
import { lineOf, tableOf } from './placed-texts.js'

const head = ['Size', 'Chest', 'Fit']

/** The last column's texts stand so far below their rows. */
function lowered (table: Table, off: number[]): Table {
  const rows = table.rows.map((row, index) => row.map((cell, column) => column < 2 ? cell : { ...cell, pieces: cell.pieces.map((each) => ({ ...each, baseline: each.baseline + (off[index] ?? 0) })) }))
  return { ...table, rows }
}

t.test('two texts of a column that stand on no line of their rows are too many, one may be', async (t) => {
  const table = tableOf(head, [['S', '88', 'close'], ['M', '92', 'close'], ['L', '96', 'wide']])
  t.ok(isOffItsRows(lowered(table, [6, 6, 0])))
  t.notOk(isOffItsRows(lowered(table, [6, 0, 0])))
  t.notOk(isOffItsRows(lowered(table, [1, 1, 1])), 'hardly off')
})

t.test('cells of two lines begin, end or have their middle on their rows', async (t) => {
  const table = tableOf(head, [['S', '88', 'close\nhere'], ['M', '92', 'close\nhere'], ['L', '96', 'wide']])
  for (const [off, isOff] of [[0, false], [-12, false], [-6, false], [-3, true]] as const) t.equal(isOffItsRows(lowered(table, [off, off, 0])), isOff, `${off}`)
})

t.test('texts that begin small under several words run on from row to row, where others begin in capitals', async (t) => {
  const rows = (...texts: string[]): Table => tableOf(head, texts.map((text, index) => [`${36 + index}`, `${88 + index}`, text]))
  t.ok(runsOn(rows('Made to be worn close', 'to the body of who', 'runs on the beach in')))
  t.notOk(runsOn(rows('close', 'wide', 'A cut for the hips')), 'words of their own')
  t.notOk(runsOn(rows('Made to be worn close.', 'to the body of whom.', 'runs on the beach.')), 'sentences end')
})

t.test('a text right above one of a head\'s columns may be more of it, above the first it is a title', async (t) => {
  const next = { table: tableOf(head, [['S', '88', 'close']], { at: [100, 120] }) }
  const isAbove = (left: number, baseline: number): boolean => isAboveHead({ lines: [lineOf(baseline, { [left]: 'Body' })] }, next)
  t.ok(isAbove(100, 86))
  t.notOk(isAbove(0, 86), 'over the first')
  t.notOk(isAbove(100, 80), 'too far above')
  t.notOk(isAboveHead({ lines: [lineOf(86, { 100: 'Body', 200: 'Cut' })] }, next), 'two texts')
  t.ok(isAboveHead({ lines: [lineOf(86, { 0: 'Size' })] }, { table: tableOf(['', 'Chest'], [['S', '88']], { at: [100, 120] }) }), 'over the first, which has no head')
})

t.test('values where a head should be, in the columns of the table above, are more of that table', async (t) => {
  const table = tableOf(['Size', 'Chest'], [['S', '88']])
  const below = (...cells: string[]): Table => tableOf(cells, [['L', '96']], { at: [60, 80] })
  t.ok(isCutInTwo(table, below('M', '92')))
  t.notOk(isCutInTwo(table, below('Size', 'Hip')))
  t.notOk(isCutInTwo(tableOf(['Size', '92'], [['S', '88']]), below('M', '92')), 'that one\'s head is a value, too')
  t.notOk(isCutInTwo({ ...table, columns: [{ left: 300, right: 360 }] }, below('M', '92')), 'other columns')
})

t.test('a row without a name at the top of the next page is more of the last row, where all others have names', async (t) => {
  const table = tableOf(['Size', 'Chest'], [['S', '88']])
  const next = (first: string[], others: string[][] = [['L', '96']], page = 2): Table => tableOf(['Size', 'Chest'], [first, ...others], { page })
  t.ok(isRowCutInTwo(table, next(['', '92'])))
  t.notOk(isRowCutInTwo(table, next(['M', '92'])))
  t.notOk(isRowCutInTwo(table, next(['', '92'], [['', '96']])), 'others have none either')
  t.notOk(isRowCutInTwo(table, next(['', '92'], [['L', '96']], 3)), 'a page between them')
})
