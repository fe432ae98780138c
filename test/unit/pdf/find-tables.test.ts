/** Which lines are a table where nothing is drawn around them. */
import t from 'tap'
import { findTables, isListed } from '../../../src/pdf/find-tables.js'
import { textOf, type Line } from '../../../src/pdf/text-lines.js'
import { lineOf } from './placed-texts.js'

/** A `|` between texts, a `/` between lines. */
const found = (lines: Line[]): string[] => findTables(lines).map(({ isTable, lines }) => `${isTable ? 'table' : 'text'}: ${lines.map(({ pieces }) => pieces.map(textOf).join('|')).join(' / ')}`)

/** From the top: head and two rows, 20 apart. */
const rows = (top: number, [head = {}, ...values]: Array<Record<number, string>> = [{ 0: 'EU', 100: 'Chest' }, { 0: '36', 100: '88' }, { 0: '38', 100: '92' }]): Line[] =>
  [head, ...values].map((texts, index) => lineOf(top + 20 * index, texts))
const table = 'table: EU|Chest / 36|88 / 38|92'

t.test('lines of several texts under each other are a table, what is above and below is none', async (t) => {
  t.strictSame(found([lineOf(0, { 0: 'Shirts for men' }), ...rows(30), lineOf(130, { 0: 'Wash at thirty degrees' })]), ['text: Shirts for men', table, 'text: Wash at thirty degrees'])
})

t.test('rows are no farther from each other than three lines of a cell; in the same columns two empty lines may be between', async (t) => {
  const other = (gap: number): number => found([lineOf(0, { 0: 'Size', 60: 'Chest' }), lineOf(gap, { 0: 'S', 60: '88', 200: '70' })]).length
  const same = (gap: number): number => found([lineOf(0, { 0: 'EU', 60: 'Chest' }), lineOf(gap, { 0: '36', 60: '88' })]).filter((each) => each.startsWith('table')).length
  t.strictSame([other(35), same(58), same(62)], [1, 1, 0])
  t.strictSame(found([lineOf(0, { 0: 'Size', 60: 'Chest' }), lineOf(38, { 0: 'S', 60: '88', 200: '70' })]), ['text: Size|Chest / S|88|70'])
})

t.test('a sign and a text are an entry of a list, a sign and a value a row', async (t) => {
  t.ok(isListed(lineOf(0, { 0: '•', 15: 'Wash at thirty degrees' })))
  t.notOk(isListed(lineOf(0, { 0: '•', 15: 'Regular fit' })))
  t.notOk(isListed(lineOf(0, { 0: 'S', 15: 'Wash at thirty degrees' })))
})

t.test('a line under a text of its row, near and no wider, is more of the cell, also at the end', async (t) => {
  const wrapped = (gap: number, text = 'the body'): string[] => found([lineOf(0, { 0: 'EU', 100: 'Fit' }), lineOf(30, { 0: '36', 100: 'Close to' }), lineOf(30 + gap, { 100: text })])
  t.strictSame(wrapped(14), ['table: EU|Fit / 36|Close to / the body'])
  t.strictSame(wrapped(27), ['table: EU|Fit / 36|Close to', 'text: the body'], 'farther than lines of a text')
  t.strictSame([wrapped(14, 'the body, narrow').length, wrapped(14, 'the body, narrows').length], [1, 2], 'wider')
})

t.test('a text in larger letters than its row is no more of it', async (t) => {
  const under = (size: number): string[] => found([lineOf(0, { 0: 'EU', 100: 'Fit' }), lineOf(30, { 0: '36', 100: 'Close to' }), lineOf(44, { 100: 'the body' }, size)])
  t.strictSame([under(10.4).length, under(11).length], [1, 2])
})

t.test('a head after rows of values, half a row farther, begins another table', async (t) => {
  const next = (gap: number, key: string): number => found([...rows(0), ...rows(40 + gap, [{ 0: key, 100: 'Hip' }, { 0: '36', 100: '90' }, { 0: '38', 100: '94' }])]).length
  t.strictSame([next(28, 'UK'), next(31, 'UK')], [1, 2])
  t.strictSame([next(21, 'Size'), next(23, 'Size')], [1, 2], 'a little is enough where it names sizes')
  t.strictSame([next(21, 'EU'), next(23, 'EU')], [1, 2], 'or as the head before does')
})

t.test('the name of the next rows is a line of the table, unless it is set off, or a title', async (t) => {
  const named = (gap: number, size = 10): number => found([...rows(0), lineOf(40 + gap, { 0: 'Women' }, size), ...rows(60 + gap, [{ 0: '36', 100: '90' }, { 0: '38', 100: '94' }])]).length
  t.strictSame([named(25), named(27)], [1, 3])
  t.strictSame([named(20, 11), named(20, 12)], [1, 3])
})

t.test('a text over some of the columns belongs to the head, a title and a sentence do not', async (t) => {
  const over = (text: string, size = 10, left = 100): number => found([lineOf(0, { [left]: text }, size), ...rows(20, [{ 0: 'EU', 100: 'Chest', 200: 'Waist' }, { 0: '36', 100: '88', 200: '70' }])]).length
  t.equal(over('Body'), 1)
  t.strictSame([over('Body', 11), over('Body', 12)], [1, 2], 'larger by a step, and by two')
  t.equal(over('Body', 10, 0), 2, 'over the first column')
  t.strictSame([over('a b c d e f g'), over('a b c d e f g h'), over('Measured flat.')], [1, 2, 2])
})

t.test('the upper line of a cell stands above its row\'s line, nearer than rows are', async (t) => {
  const above = (gap: number): string[] => found([lineOf(0, { 100: 'Chest' }), lineOf(gap, { 0: 'EU', 100: '(cm)' }), lineOf(gap + 20, { 0: '36', 100: '88' }), lineOf(gap + 40, { 0: '38', 100: '92' })])
  t.strictSame(above(14).length, 1)
  t.strictSame(above(15), ['text: Chest', 'table: EU|(cm) / 36|88 / 38|92'], 'farther than lines of a text')
  const tight = found([lineOf(0, { 100: 'Chest' }), lineOf(14, { 0: 'EU', 100: '(cm)' }), lineOf(28, { 0: '36', 100: '88' }), lineOf(42, { 0: '38', 100: '92' })])
  t.equal(tight[0], 'text: Chest', 'as far as rows')
})

t.test('it is a blank away from the text before it', async (t) => {
  const at = (left: number): string[] => found([lineOf(0, { [left]: 'Chest' }), lineOf(14, { 0: 'EU', 20: '(cm)' }), lineOf(34, { 0: '36', 20: '88' }), lineOf(54, { 0: '38', 20: '92' })])
  t.strictSame([at(12).length, at(14).length], [2, 1])
})

t.test('a text in the middle between two rows, as far apart as all are, is in a cell that spans both', async (t) => {
  const between = (gap: number): number => found([...rows(0), lineOf(40 + gap / 2, { 200: 'Regular' }), ...rows(40 + gap, [{ 0: '40', 100: '96' }, { 0: '42', 100: '99' }])]).length
  t.equal(between(20), 1)
  t.equal(between(60), 3)
})

t.test('a cell in whose middle its row stands has as much below as above', async (t) => {
  const halves = (above: number, below: number): number => found([...rows(0), lineOf(84 - above, { 200: 'Close to' }), lineOf(84, { 0: '40', 100: '96' }), lineOf(84 + below, { 200: 'the body' })]).length
  t.strictSame([halves(16, 16.5), halves(16, 17.5)], [1, 2], 'as much, but for a point')
  t.strictSame([halves(28, 28), halves(30, 30)], [1, 2], 'no farther than two lines')
})
