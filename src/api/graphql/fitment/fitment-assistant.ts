/** Resolvers of what the assistant asks about fitment and products (decisions.md, "Assistant behaviour"). */
import { createFitmentKnowledge } from '../../../assistant/fitment-knowledge.js'
import { resolveFitment } from '../../../assistant/resolve-fitment.js'
import type { FitmentFacetRecord } from '../../../domain/fitment-facet.js'
import { maxFacetValues, showTarget, type FacetValue } from '../../../domain/fitment-target.js'
import { readInput } from '../../../domain/read-input.js'
import { isRecord, text } from '../../../domain/reader.js'
import { queryWordsOf } from '../../../domain/search/query-words.js'
import { badInput, notFound } from '../../../errors.js'
import type { Repositories } from '../../../store/repositories.js'
import { assertPermitted, vendorOf } from '../../auth/access.js'
import { searchCursor } from '../cursors.js'
import { toFitmentFacet } from './fitment.js'
import type { MutationResolvers, QueryResolvers } from '../generated.js'
import { toProductNode } from '../nodes.js'
import { pageSize } from '../limits/page-size.js'
import { readFilters } from '../catalog/search-filters.js'

const searchPage = { min: 1, max: 100, default: 20 }
const maxTextLength = 1_000

const phrase = text({ max: maxTextLength })
const conversation = text({ nonBlank: true, max: 255 })
const givenValue = text({ nonBlank: true, max: 255 })

type Dependencies = Pick<Repositories, 'fitmentFacets' | 'fitmentTargets' | 'fitmentVocabulary' | 'fitmentMemory' | 'storeLocations' | 'productSearch'>

export function createFitmentAssistantResolvers (repositories: Dependencies) {
  const { fitmentFacets, fitmentTargets, fitmentMemory, storeLocations, productSearch } = repositories

  const Mutation = {
    async resolveFitment (caller, { input }, { rows }) {
      const vendorId = vendorOf(caller, input.vendorId)
      rows.take('answer', 1)
      const conversationId = readInput(conversation, input.conversationId, 'input.conversationId')
      const said = isGiven(input.text) ? readInput(phrase, input.text, 'input.text') : ''
      const [facets, { values: remembered }] = await Promise.all([fitmentFacets.list(vendorId), fitmentMemory.find(vendorId, conversationId)])
      const question = { text: said.trim() === '' ? null : said, given: readGiven(input.facetValues ?? null, facets), remembered: ofFacets(remembered, facets) }
      const answer = await resolveFitment(createFitmentKnowledge(repositories, vendorId, facets), question)
      if (answer.status === 'RESOLVED' || answer.status === 'NEEDS_FACET') {
        await fitmentMemory.put(vendorId, conversationId, { values: answer.values, targetId: answer.status === 'RESOLVED' ? answer.target._id : null })
      }
      return {
        status: answer.status,
        target: answer.status === 'RESOLVED' ? showTarget(answer.target, facets) : null,
        facetValues: bySlug(answer.values, facets),
        facet: answer.status === 'NEEDS_FACET' ? toFitmentFacet(answer.facet) : null,
        candidates: answer.status === 'NEEDS_FACET' ? answer.candidates : []
      }
    }
  } satisfies MutationResolvers

  const Query = {
    async searchProducts (caller, { input }, { rows }) {
      const vendorId = vendorOf(caller, input.vendorId)
      const first = pageSize(input.first, searchPage)
      rows.take('answer', 1)
      rows.take('node', first)
      const after = isGiven(input.cursor) ? searchCursor.decode(input.cursor) : null
      const said = isGiven(input.text) ? readInput(phrase, input.text, 'input.text') : ''
      const words = queryWordsOf(said)
      const filters = readFilters(input)
      if (filters.visibility !== 'PUBLISHED') assertPermitted(caller, 'PRODUCT_MANAGE')
      const [fitmentTargetId, store] = await Promise.all([
        targetOf(vendorId, input.fitmentTargetExternalId ?? null, input.conversationId ?? null),
        isGiven(input.storeCode) ? storeLocations.findByCode(vendorId, input.storeCode) : undefined
      ])
      if (store === null) throw notFound('There is no such store location')
      // A text without a word, or a store that is closed, matches nothing.
      if ((said.trim() !== '' && words.length === 0) || store?.isActive === false) {
        return { nodes: [], hasNextPage: false, endCursor: null, totalCount: async () => 0, facets: { brands: [], tags: [] } }
      }
      const page = await productSearch.search(vendorId, { words, isBegun: input.prefix ?? words.length === 1, fitmentTargetId, storeLocationId: store?._id ?? null, filters }, { first, after })
      return {
        nodes: page.nodes.map(toProductNode),
        hasNextPage: page.hasNextPage,
        endCursor: page.end === null ? null : searchCursor.encode(page.end),
        totalCount: page.totalCount,
        facets: page.facets
      }
    }
  } satisfies QueryResolvers

  /** Throws NOT_FOUND for a target that is named and is none. One that was remembered and is gone does not count. */
  async function targetOf (vendorId: string, externalId: string | null, conversationId: string | null): Promise<string | null> {
    if (externalId !== null) {
      const target = await fitmentTargets.findByExternalId(vendorId, externalId)
      if (target === null) throw notFound('There is no such fitment target')
      return target._id
    }
    if (conversationId === null) return null
    const { targetId } = await fitmentMemory.find(vendorId, conversationId)
    return targetId === null ? null : (await fitmentTargets.find(vendorId, targetId))?._id ?? null
  }

  return { Query, Mutation }
}

const isGiven = <T>(value: T | null | undefined): value is T => value !== null && value !== undefined

/** As they were given. Throws BAD_USER_INPUT. */
function readGiven (input: unknown, facets: FitmentFacetRecord[]): FacetValue[] {
  const path = 'input.facetValues'
  if (input === null) return []
  if (!isRecord(input) || Object.keys(input).length > maxFacetValues) throw badInput(`${path} must be an object of at most ${maxFacetValues} facet slugs and values`, path)
  return Object.entries(input).map(([slug, sent]) => {
    const facet = facets.find((facet) => facet.slug === slug)
    if (facet === undefined) throw badInput(`${path} names a facet that does not exist: ${JSON.stringify(slug.slice(0, 255))}`, path)
    return { facetId: facet._id, value: readInput(givenValue, sent, `${path}.${slug}`) }
  })
}

const ofFacets = (values: FacetValue[], facets: FitmentFacetRecord[]): FacetValue[] =>
  values.filter(({ facetId }) => facets.some(({ _id }) => _id === facetId))

const bySlug = (values: FacetValue[], facets: FitmentFacetRecord[]): Record<string, string> =>
  Object.fromEntries(facets.flatMap(({ _id, slug }) => values.filter(({ facetId }) => facetId === _id).map(({ value }): [string, string] => [slug, value])))
