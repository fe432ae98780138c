/** What a deleted facet leaves in targets is looked for only where there may be some. */
import t from 'tap'
import { createFacetRemovals } from '../../../../src/store/fitment/facet-removals.js'
import { createFitmentVocabulary } from '../../../../src/store/fitment/fitment-vocabulary.js'
import { testDatabase } from '../../../support/database.js'
import { withMethod } from '../../../support/with-method.js'

const { database: { collections }, repositories: { fitmentFacets, fitmentTargets } } = await testDatabase(t)

/** Removes the facet, and gives how often targets were looked through. */
async function remove (vendorId: string, facetId: string): Promise<number> {
  let looks = 0
  const find = ((...given: Parameters<typeof collections.fitmentTargets.find>) => {
    looks++
    return collections.fitmentTargets.find(...given)
  }) as typeof collections.fitmentTargets.find
  const removals = createFacetRemovals({ ...collections, fitmentTargets: withMethod(collections.fitmentTargets, 'find', find) }, createFitmentVocabulary(collections))
  await removals.request(vendorId, facetId)
  await collections.fitmentFacets.deleteOne({ _id: facetId })
  await removals.run(vendorId, facetId)
  t.equal(await collections.facetRemovals.countDocuments({ _id: facetId }), 0, 'nothing is left to be done')
  return looks
}

t.test('a facet that no target has had a value of is looked for in none', async (t) => {
  const used = await fitmentFacets.create('shop', { name: 'Make', slug: 'make', position: 0 })
  const unused = await fitmentFacets.create('shop', { name: 'Year', slug: 'year', position: 1 })
  const target = await fitmentTargets.create('shop', { externalId: 'T', facetValues: [{ facetId: used._id, value: 'Honda' }] })
  t.equal(await remove('shop', unused._id), 0)
  t.strictSame((await collections.fitmentTargets.findOne({ _id: target._id }))?.facetValues, [{ facetId: used._id, value: 'Honda' }])
})

t.test('one that a target has a value of is taken out of it', async (t) => {
  const facet = await fitmentFacets.create('other', { name: 'Make', slug: 'make', position: 0 })
  const target = await fitmentTargets.create('other', { externalId: 'T', facetValues: [{ facetId: facet._id, value: 'Honda' }] })
  t.ok(await remove('other', facet._id) > 0)
  t.strictSame((await collections.fitmentTargets.findOne({ _id: target._id }))?.facetValues, [])
})
