import t from 'tap'
import { BSON } from 'mongodb'
import type { LocationQuantity } from '../../../../src/domain/product.js'
import { fieldBytes } from '../../../../src/domain/stored-size.js'
import { ActiveLocations, Stock } from '../../../../src/domain/stock.js'
import { holdsLocation, inStockAt } from '../../../../src/store/catalog/stock-filters.js'
import { fromStoredStock, toStoredStock } from '../../../../src/store/catalog/stored-stock.js'
import { testDatabase } from '../../../support/database.js'

const { database: { db } } = await testDatabase(t)

const lists: LocationQuantity[][] = [
  [], [{ locationId: 'a', quantity: 0 }], [{ locationId: '5d5b745e-4d8a-44fa-a704-2142f25b4ae5', quantity: 2_147_483_647 }, { locationId: 'é', quantity: 10 }, { locationId: 'a', quantity: 7 }]
]

t.test('levels come back as they were, in their order, and those of before as well', async (t) => {
  for (const list of lists) t.strictSame(fromStoredStock(toStoredStock(list)), list)
  t.equal(toStoredStock(lists[1] ?? []), ';a=0')
  for (const list of lists) t.strictSame(fromStoredStock(list), list)
})

t.test('their bytes are told as they are stored, of a list and of what lines send', async (t) => {
  const bytesOf = (list: LocationQuantity[]): number =>
    BSON.calculateObjectSize({ locationQuantities: toStoredStock(list) }, { ignoreUndefined: true }) - BSON.calculateObjectSize({})
  for (const list of lists) t.equal(fieldBytes('locationQuantities', list), bytesOf(list))
  const stock = Stock.of([{ locationId: 'closed', quantity: 120 }, { locationId: 'a', quantity: 3 }], new ActiveLocations(['a', 'b', 'é'], ['A', 'B', 'E']))
  const changed = stock.with(new Map([['b', 4_000], ['é', 12]]))
  t.strictSame([stock.bytes, changed.bytes], [bytesOf(stock.toQuantities()), bytesOf(changed.toQuantities())])
})

t.test('the database finds who has units at a location, and who has an entry for it, in any variant', async (t) => {
  const stocked = db.collection<{ _id: string, variants?: object[] }>('stocked')
  const variant = (locationQuantities: unknown): object => ({ id: 'v', locationQuantities })
  const listed = [{ locationId: 'a.1', quantity: 5 }]
  await stocked.insertMany([
    { _id: 'has', variants: [variant(';b=1'), variant(';b=0;a.1=20')] }, { _id: 'has-none', variants: [variant(';a.1=0;b=1')] }, { _id: 'listed', variants: [{ id: 'v' }, variant(listed)] },
    { _id: 'none' }, { _id: 'others', variants: [variant(';aa.1=2;a.11=3;ax1=4;b-a.1=5')] }
  ])
  const found = async (filter: object): Promise<string[]> => (await stocked.find(filter, { sort: { _id: 1 } }).toArray()).map(({ _id }) => _id)
  t.strictSame(await found(inStockAt('a.1')), ['has'])
  t.strictSame(await found(holdsLocation('a.1')), ['has', 'has-none', 'listed'])
  t.strictSame(await found({ $or: [{ _id: { $in: ['has', 'others'] } }], ...inStockAt('a.1'), variants: { $elemMatch: { id: 'v' } } }), ['has'], 'beside other filters')
})
