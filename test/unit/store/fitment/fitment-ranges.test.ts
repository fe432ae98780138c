/** Targets by their values, among any number of others: each command looks at a bounded range of numbers. */
import type { CommandStartedEvent, Document } from 'mongodb'
import t from 'tap'
import { testDatabase } from '../../../support/database.js'
import { monitored, siblingDatabase } from '../../../support/sibling-database.js'

const { url } = await testDatabase(t)
const { database, repositories: { fitmentFacets, fitmentTargets } } = await siblingDatabase(t, monitored({ url }))
const { collections: { counters } } = database

const facets = await Promise.all(['make', 'model', 'year'].map(async (slug, position) => await fitmentFacets.create('acme', { slug, name: slug, position })))
const valuesOf = (...values: string[]) => facets.map(({ _id }, index) => ({ facetId: _id, value: values[index] ?? '' }))
const create = async (externalId: string, ...values: string[]): Promise<void> => { await fitmentTargets.create('acme', { externalId, facetValues: valuesOf(...values) }) }

await create('first', 'honda', 'civic', '2019')
// Of many others.
await counters.updateOne({}, { $inc: { next: 60_000 } })
await create('last', 'honda', 'civic', '2020')

/** The ranges of numbers that commands look at. */
async function ranges (look: () => Promise<unknown>): Promise<Array<{ $gt: number, $lt: number }>> {
  const found: Array<{ $gt: number, $lt: number }> = []
  const listen = ({ command }: CommandStartedEvent): void => {
    const { aggregate, pipeline: [stage] = [] } = command as { aggregate?: string, pipeline?: Array<{ $match?: Document }> }
    if (aggregate === 'fitment_targets') found.push(stage?.$match?.['order'] as { $gt: number, $lt: number })
  }
  database.db.client.on('commandStarted', listen)
  await look()
  database.db.client.off('commandStarted', listen)
  return found
}

t.test('those that have the values are found, far apart as they are', async (t) => {
  const page = async (after: number) => (await fitmentTargets.page('acme', { facets, values: valuesOf('honda', 'civic').slice(0, 2), after, limit: 1 }))
  t.match(await page(0), { targets: [{ externalId: 'first' }], hasMore: true })
  t.match(await page(1), { targets: [{ externalId: 'last' }], hasMore: false })
  t.match(await fitmentTargets.firstWith('acme', facets, valuesOf('honda', 'civic', '2020')), { externalId: 'last' })
  t.match(await fitmentTargets.firstOf('acme', facets, valuesOf('honda', 'civic', '2020')), { externalId: 'last' })
  t.equal(await fitmentTargets.firstWith('acme', facets, valuesOf('honda', 'civic', '2021')), null)
})

t.test('one of several values is enough, with others or alone', async (t) => {
  const years = (...values: string[]) => values.map((value) => ({ facetId: facets[2]?._id ?? '', value }))
  const firstWith = async (count: number, ...oneOf: string[]) => await fitmentTargets.firstWith('acme', facets, valuesOf('honda', 'civic').slice(0, count), years(...oneOf))
  for (const count of [0, 1, 2]) {
    t.match(await firstWith(count, '2018', '2019', '2020'), { externalId: 'first' })
    t.match(await firstWith(count, '2020', '2021'), { externalId: 'last' })
    t.equal(await firstWith(count, '2021', '2022'), null)
  }
  t.equal(await fitmentTargets.firstWith('acme', facets, valuesOf('ford').slice(0, 1), years('2019')), null)
})

t.test('no command looks at more than a range, also where there is none', async (t) => {
  const looked = await ranges(async () => await fitmentTargets.firstWith('acme', facets, valuesOf('honda', 'civic', '2021')))
  t.equal(looked.at(-1)?.$lt !== undefined && (looked.at(-1)?.$lt ?? 0) > 60_000, true)
  for (const { $gt, $lt } of looked) t.ok($lt - $gt <= 16_385)
})
