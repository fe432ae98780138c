/** A table that goes on at the top of the next page. */
import t from 'tap'
import { joinContinued } from '../../../src/pdf/join-continued.js'
import type { Block, Table } from '../../../src/pdf/page-model.js'
import { lineOf, tableOf } from './placed-texts.js'

const rows = [['S', '88', '90'], ['M', '92', '94']]
/** How many rows each table has in the end. */
function rowsOf (next: Table, above: Block[] = []): number[] {
  const first = tableOf(['Size', 'Chest', 'Hip'], rows)
  return joinContinued([{ blocks: [{ table: first }], words: [] }, { blocks: [...above, { table: next }], words: [] }]).flatMap(({ blocks }) => blocks.flatMap((block) => 'table' in block ? block.table.rows.length : []))
}
const more = (page = 2): Table => tableOf(['L', '96', '98'], [['XL', '100', '102']], { page })
const text = (lines: number): Block => ({ lines: Array.from({ length: lines }, (_, line) => lineOf(20 * line, { 0: 'Page' })) })

t.test('rows without a head at the top of the next page are the table\'s, below a running title, too', async (t) => {
  t.strictSame(rowsOf(more()), [4])
  t.strictSame(rowsOf(more(), [text(2)]), [4])
})

t.test('what has a head, other columns, a text before it or a page between is a table of its own', async (t) => {
  t.strictSame(rowsOf(tableOf(['Size', 'Length', 'Width'], rows, { page: 2 })), [2, 2])
  t.strictSame(rowsOf({ ...more(), columns: [0, 1, 2].map((column) => ({ left: 300 + 100 * column, right: 360 + 100 * column })) }), [2, 1])
  t.strictSame(rowsOf(more(), [text(3)]), [2, 1])
  t.strictSame(rowsOf(more(3)), [2, 1])
})
