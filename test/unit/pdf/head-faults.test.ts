/** What speaks against the head of a table: each fault beside what is nearly one. */
import t from 'tap'
import { headFault, isHeadless } from '../../../src/pdf/head-faults.js'
import type { Table, TableCell } from '../../../src/pdf/page-model.js'
import { piece, tableOf } from './placed-texts.js'

const head = ['Size', 'Chest', 'Hip']
const sizes = [['S', '88', '90'], ['M', '92', '94'], ['L', '96', '98'], ['XL', '100', '102']]

const withHead = (table: Table, head: TableCell[]): Table => ({ ...table, head })

t.test('nothing speaks against a head of one line', async (t) => {
  t.equal(headFault(tableOf(head, sizes)), null)
})

t.test('what is said for several columns stands above what each has for itself, not beside it', async (t) => {
  const shared = (baseline: number): Table => {
    const [size, body, chest] = [piece('Size', 0, 0), piece('Body', 130, baseline), piece('Chest', 100, 0)]
    return withHead(tableOf(head, sizes), [{ text: 'Size', pieces: [size] }, { text: 'Body Chest', pieces: [body, chest] }, { text: 'Body Hip', pieces: [body, piece('Hip', 200, 0)] }])
  }
  t.equal(headFault(shared(0)), 'a text over several columns stands beside the head of one of them')
  t.equal(headFault(shared(-15)), null)
})

t.test('a head over an empty column, as near to the next as a word is, may be of that', async (t) => {
  const near = (left: number): Table => withHead(tableOf(head, sizes.map(([size = '', , hip = '']) => [size, '', hip])), [{ text: 'Size', pieces: [piece('Size', 0, 0)] }, { text: 'Hip', pieces: [piece('Hip', left, 0)] }, { text: 'width', pieces: [piece('width', 200, 0)] }])
  t.equal(headFault(near(182)), 'a head may be more of the one beside it')
  t.equal(headFault(near(120)), null)
})

t.test('a text over values, in a column without a head, is the head\'s', async (t) => {
  t.equal(headFault(tableOf(['Size', '', 'Hip'], [['', 'Chest', ''], ...sizes])), 'a part of the head is in the rows')
  t.not(headFault(tableOf(['Size', '', 'Hip'], sizes)), 'a part of the head is in the rows')
})

t.test('the second line of the first head alone may be the name of the rows below, where others have names', async (t) => {
  const groups = [...sizes, ['Men', '', ''], ...sizes]
  t.equal(headFault(tableOf(['Size\nWomen', 'Chest', 'Hip'], groups)), 'the name of a group of rows is in the head')
  t.equal(headFault(tableOf(['Size\n(EU)', 'Chest\n(cm)', 'Hip\n(cm)'], groups)), null)
  t.equal(headFault(tableOf(['Size\n(EU)', 'Chest', 'Hip'], sizes)), null, 'no rows have a name')
})

t.test('a column has a head, and the first may do without', async (t) => {
  t.equal(headFault(tableOf(['Size', 'Chest', ''], sizes)), 'a column has no head')
  t.equal(headFault(tableOf(['', 'Chest', 'Hip'], sizes)), null)
  t.equal(headFault(tableOf(['', 'Chest', 'Hip', '', 'Back'], sizes.map((row) => [...row, '1', '2']))), null, 'nor is another then')
  t.equal(headFault(tableOf(['Size', '', ''], sizes)), 'most columns have no head')
  t.equal(headFault(tableOf(['Size', 'Chest', ''], sizes, { isGrid: true })), null, 'lines say that it is one')
})

t.test('a head holds no row, and the rows no head', async (t) => {
  t.equal(headFault(tableOf(['Size\n36', 'Chest\n84', 'Hip'], sizes)), 'a row is in the head')
  t.equal(headFault(tableOf(['Size', 'Chest', 'Hip'], [...sizes, ['Größe', 'Brust', 'Hüfte']])), 'a head is in the rows')
  t.equal(headFault(tableOf(['Size', 'Chest', 'Hip'], [...sizes, ['Größe', '104', '106']])), null)
})

t.test('sizes or values where the head should be are a row; with a title they are a head of values', async (t) => {
  t.ok(isHeadless(tableOf(['S', '88', '90'], sizes)))
  t.notOk(isHeadless(tableOf(['S', '88', '90'], sizes, { title: ['Chest'] })))
  t.notOk(isHeadless(tableOf(['Size', '88', '90'], sizes)))
  t.notOk(isHeadless(tableOf(['S', 'Chest', 'Hip'], sizes)))
})
