import t from 'tap'
import { everywhere, stockChanges, unitsAt, withEdit, type Edits } from '../../../src/console/catalog/stock-changes.js'

const at = (levels: Record<string, number>, isActive = true) => Object.entries(levels).map(([storeCode, quantity]) => ({ storeLocation: { storeCode, name: storeCode, isActive }, quantity }))
const red = { externalId: 'red', inventory: 3, inventoryByLocation: [...at({ A: 3, B: 1 }), ...at({ closed: 9 }, false)] }
const blue = { externalId: 'blue', inventory: null, inventoryByLocation: at({}) }
const shown = [red, blue]
const typed = (...edits: Array<[place: string, externalId: string, text: string]>): Edits => edits.reduce<Edits>((all, edit) => withEdit(all, ...edit), new Map())

t.test('a field shows what is stored: an untracked total is empty, a store of which nothing is known has nothing', async (t) => {
  t.strictSame([unitsAt(red, everywhere), unitsAt(blue, everywhere), unitsAt(red, 'B'), unitsAt(blue, 'B')], ['3', '', '1', '0'])
})

t.test('nothing is sent of what was left, or typed back', async (t) => {
  t.strictSame(stockChanges(shown, shown, typed()), [])
  t.strictSame(stockChanges(shown, shown, typed(['A', 'red', '4'], ['A', 'red', '3'], [everywhere, 'blue', ''])), [])
})

t.test('of a variant whose total was changed no level is sent, and the other way round', async (t) => {
  t.strictSame(stockChanges(shown, shown, typed([everywhere, 'red', ''], [everywhere, 'blue', '0'])), [{ externalId: 'red', inventory: null }, { externalId: 'blue', inventory: 0 }])
  t.strictSame(stockChanges(shown, shown, typed(['B', 'blue', '7'])), [{ externalId: 'blue', inventoryByLocation: { B: 7 } }])
})

t.test('levels at other active stores go along as they are by now, those of closed ones do not', async (t) => {
  const stored = [{ ...red, inventory: 50, inventoryByLocation: [...at({ A: 30, B: 10, C: 5 }), ...at({ closed: 9 }, false)] }]
  t.strictSame(stockChanges(shown, stored, typed(['A', 'red', '2'])), [{ externalId: 'red', inventoryByLocation: { A: 2, B: 10, C: 5 } }])
})

t.test('of a variant that is gone by now what was typed is sent, for the API to judge', async (t) => {
  t.strictSame(stockChanges(shown, [], typed([everywhere, 'red', '2'], ['A', 'red', '-1'])), [{ externalId: 'red', inventory: 2, inventoryByLocation: { A: -1 } }])
})

t.test('a store of any code has its level', async (t) => {
  const [change] = stockChanges([blue], [blue], typed(['__proto__', 'blue', '2']))
  t.strictSame(JSON.stringify(change), '{"externalId":"blue","inventoryByLocation":{"__proto__":2}}')
})
