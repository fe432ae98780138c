import t from 'tap'
import { isText, standsInRows, type SideLine } from '../../../src/pdf/running-text.js'

const sideLine = (top: number, text: string): SideLine => {
  const piece = { words: text.split(' ').map((word) => ({ text: word, left: 0, right: 100 })), left: 0, right: 100, baseline: top, size: 10, order: 0 }
  return { line: { baseline: top, size: 10, pieces: [piece] }, size: 10, top, inked: [piece] }
}
const sides = (texts: Record<number, string>): SideLine[] => Object.entries(texts).map(([top, text]) => sideLine(Number(top), text))

const text = { 100: 'How to measure: place the', 112: 'tape around your chest, and', 124: 'keep it level all around.', 136: 'Between two sizes order' }

t.test('lines of several words, some of which go on in the next, are a text; values and single words are none', async (t) => {
  t.ok(isText(sides(text)))
  t.notOk(isText(sides({ 100: 'Fit', 120: 'Regular', 140: 'Loose', 160: 'Slim' })))
  t.notOk(isText(sides({ 100: 'Chest', 112: '86-92', 124: '92-98', 136: '98-106' })))
})

t.test('lines at other heights than the rows beside them are no column of theirs', async (t) => {
  t.notOk(standsInRows(sides(text), sides({ 100: 'Size', 120: 'S', 140: 'M', 160: 'L' })))
})

t.test('texts that begin on the line of each row are, and so are those with it in their middle', async (t) => {
  const rows = sides({ 100: 'Size', 130: 'S', 160: 'M', 190: 'L' })
  t.ok(standsInRows(sides({ 100: 'Fit', 130: 'Close to the body, for', 142: 'wearing under a jacket', 160: 'Regular', 190: 'Loose, falls over' }), rows))
  t.ok(standsInRows(sides({ 100: 'Fit', 124: 'Close to the body, for', 136: 'wearing under a jacket', 160: 'Regular', 184: 'Loose, falls over', 196: 'the hips' }), rows))
})
