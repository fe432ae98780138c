/**
 * The values that targets have, in `fitment_values`: how each is spelled, and which values of other facets it has been seen
 * together with (its neighbours). It answers "what can still be asked" without reading targets, of which there may be
 * thousands to every value.
 *
 * It only ever grows, and is written before the targets are: a value may be here that no target has (any more), never the
 * other way round. So what is read here is a hint, and checked against the targets before anyone is told.
 */
import { hash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { AnyBulkWriteOperation } from 'mongodb'
import { spellingsOf } from '../../domain/fitment-spelling.js'
import type { FacetValue } from '../../domain/fitment-target.js'
import type { Collections } from '../database/connection.js'
import { ignoreDuplicates } from '../database/database-errors.js'
import { findByIds } from '../database/find-by-ids.js'
import type { FitmentValueDocument } from './fitment-value-document.js'

export interface KnownValue extends FacetValue {
  /** Values seen together with this one; null where there are more than are kept, so that none is excluded. */
  neighboursAt (facetId: string): ReadonlySet<string> | null
}

export interface FitmentVocabulary {
  /** Makes values and their neighbours known. Repeating it is harmless. */
  learn (vendorId: string, targets: FacetValue[][]): Promise<void>
  /** The values that have one of these spellings (domain/fitment-spelling), 2,000 at most. Without their neighbours, of which each may have thousands. */
  findBySpellings (vendorId: string, spellings: string[]): Promise<FacetValue[]>
  find (vendorId: string, values: FacetValue[]): Promise<KnownValue[]>
  /** Values of a facet, at most as many as are kept. */
  valuesOf (vendorId: string, facetId: string): Promise<string[]>
  /** false: no target has a value of the facet, or has ever had one. */
  knows (vendorId: string, facetId: string): Promise<boolean>
  /** Of a facet that is deleted. */
  forget (vendorId: string, facetId: string): Promise<void>
}

/** Of one facet. Nobody is asked to choose among more. */
const maxNeighbours = 500
/** Targets per turn of the event loop. */
const turnSize = 250
const spellingsPerQuery = 50
const foundPerQuery = 500
const maxFound = 2_000
/** Read with their neighbours: some 2 ms and 250 KB each of a value that has as many as are kept, and as long to look through them. */
const valuesPerRead = 20
const valuesPerTurn = 4
const forgottenAtOnce = 500

const digest = (...parts: Array<string | null>): string => hash('sha256', JSON.stringify(parts), 'base64url')
const valueId = (vendorId: string, facetId: string, value: string | null): string => digest(vendorId, facetId, value).slice(0, 22)
const spellingKey = (vendorId: string, spelling: string): string => digest(vendorId, spelling).slice(0, 12)

type FoundValue = Pick<FitmentValueDocument, '_id' | 'vendorId' | 'facetId' | 'value'>

interface Lesson { facetId: string, value: string | null, neighbours: Set<string> }

export function createFitmentVocabulary ({ fitmentValues, fitmentFacets }: Pick<Collections, 'fitmentValues' | 'fitmentFacets'>): FitmentVocabulary {
  async function lessonsOf (vendorId: string, targets: FacetValue[][]): Promise<Map<string, Lesson>> {
    const byValue = new Map<string, Lesson>()
    const lesson = (facetId: string, value: string | null): Lesson => {
      const key = value === null ? facetId : `${facetId}:${value}`
      let found = byValue.get(key)
      if (found === undefined) byValue.set(key, found = { facetId, value, neighbours: new Set() })
      return found
    }
    for (const [index, values] of targets.entries()) {
      if (index % turnSize === turnSize - 1) await setImmediate()
      const names = values.map(({ facetId, value }) => `${facetId}:${value}`)
      values.forEach(({ facetId, value }, at) => {
        lesson(facetId, null).neighbours.add(names[at] ?? '')
        const { neighbours } = lesson(facetId, value)
        names.forEach((name, other) => { if (other !== at) neighbours.add(name) })
      })
    }
    return new Map(Array.from(byValue.values(), (lesson) => [valueId(vendorId, lesson.facetId, lesson.value), lesson]))
  }

  async function write (vendorId: string, fresh: Array<[string, Lesson]>, more: Array<[string, string[]]>): Promise<void> {
    const documents: FitmentValueDocument[] = []
    for (const [index, [_id, { facetId, value, neighbours }]] of fresh.entries()) {
      if (index % turnSize === turnSize - 1) await setImmediate()
      const spellings = value === null ? [] : spellingsOf(value).map((spelling) => spellingKey(vendorId, spelling))
      documents.push({ _id, vendorId, facetId, value, spellings, neighbours: withinBounds([], [...neighbours]) })
    }
    const additions = [...more]
    if (documents.length > 0) {
      try {
        await fitmentValues.insertMany(documents, { ordered: false })
      } catch (error) {
        ignoreDuplicates(error)
        // Another request has taught some of them first, perhaps with fewer neighbours.
        for (const { _id, neighbours } of documents) additions.push([_id, neighbours])
      }
    }
    const operations = additions.filter(([, neighbours]) => neighbours.length > 0)
      .map(([_id, $each]): AnyBulkWriteOperation<FitmentValueDocument> => ({ updateOne: { filter: { _id }, update: { $addToSet: { neighbours: { $each } } } } }))
    if (operations.length > 0) await fitmentValues.bulkWrite(operations, { ordered: false })
    await countValues(documents)
  }

  /** A hint for choosing indexes; that a crash loses a count does no harm. */
  async function countValues (documents: FitmentValueDocument[]): Promise<void> {
    const counts = new Map<string, number>()
    for (const { facetId, value } of documents) if (value !== null) counts.set(facetId, (counts.get(facetId) ?? 0) + 1)
    for (const [_id, count] of counts) await fitmentFacets.updateOne({ _id }, { $inc: { valueCount: count } })
  }

  type Read = Pick<FitmentValueDocument, '_id' | 'vendorId' | 'facetId' | 'value' | 'neighbours'>

  /** A few at a time, one of which is a step of the event loop. */
  async function * read (ids: string[]): AsyncGenerator<Read> {
    for (let from = 0; from < ids.length; from += valuesPerRead) {
      const found = await findByIds(fitmentValues, ids.slice(from, from + valuesPerRead), { vendorId: 1, facetId: 1, value: 1, neighbours: 1 })
      for (const [index, document] of found.entries()) {
        if (index % valuesPerTurn === 0) await setImmediate()
        yield document
      }
    }
  }

  return {
    async learn (vendorId, targets) {
      const lessons = await lessonsOf(vendorId, targets)
      const fresh = new Map(lessons)
      const more: Array<[string, string[]]> = []
      for await (const { _id, neighbours } of read([...lessons.keys()])) {
        more.push([_id, withinBounds(neighbours, [...lessons.get(_id)?.neighbours ?? []])])
        fresh.delete(_id)
      }
      await write(vendorId, [...fresh], more)
    },
    async findBySpellings (vendorId, spellings) {
      const distinct = [...new Set(spellings)]
      const found = new Map<string, FacetValue>()
      for (let from = 0; from < distinct.length && found.size < maxFound; from += spellingsPerQuery) {
        const $in = distinct.slice(from, from + spellingsPerQuery).map((spelling) => spellingKey(vendorId, spelling))
        const options = { projection: { vendorId: 1, facetId: 1, value: 1 } as const, limit: foundPerQuery }
        for (const document of await fitmentValues.find<FoundValue>({ spellings: { $in } }, options).toArray()) {
          const { facetId, value } = document
          if (document.vendorId === vendorId && value !== null && found.size < maxFound) found.set(document._id, { facetId, value })
        }
      }
      return [...found.values()]
    },
    async find (vendorId, values) {
      const known: KnownValue[] = []
      for await (const document of read(values.map(({ facetId, value }) => valueId(vendorId, facetId, value)))) {
        if (document.vendorId === vendorId && document.value !== null) known.push(toKnownValue(document.facetId, document.value, document.neighbours))
      }
      return known
    },
    async valuesOf (vendorId, facetId) {
      const found = await fitmentValues.findOne({ _id: valueId(vendorId, facetId, null) })
      return found === null ? [] : [...byFacet(found.neighbours).get(facetId) ?? []]
    },
    knows: async (vendorId, facetId) => await fitmentValues.findOne({ _id: valueId(vendorId, facetId, null) }, { projection: { _id: 1 } }) !== null,
    async forget (vendorId, facetId) {
      for (;;) {
        const found = await fitmentValues.find({ vendorId, facetId }, { projection: { _id: 1 }, limit: forgottenAtOnce }).toArray()
        if (found.length === 0) return
        await fitmentValues.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } })
      }
    }
  }
}

function toKnownValue (facetId: string, value: string, neighbours: string[]): KnownValue {
  const names = byFacet(neighbours)
  return {
    facetId,
    value,
    neighboursAt (other) {
      const set = names.get(other) ?? new Set<string>()
      return set.size < maxNeighbours ? set : null
    }
  }
}

const facetOf = (name: string): string => name.slice(0, name.indexOf(':'))

function byFacet (neighbours: string[]): Map<string, Set<string>> {
  const groups = new Map<string, Set<string>>()
  for (const name of neighbours) {
    const facetId = facetOf(name)
    let group = groups.get(facetId)
    if (group === undefined) groups.set(facetId, group = new Set())
    group.add(name.slice(facetId.length + 1))
  }
  return groups
}

/** Those of `added` that are new, as far as each facet has room. */
function withinBounds (known: string[], added: string[]): string[] {
  const fresh = new Set(added)
  const counts = new Map<string, number>()
  for (const name of known) {
    fresh.delete(name)
    counts.set(facetOf(name), (counts.get(facetOf(name)) ?? 0) + 1)
  }
  return [...fresh].filter((name) => {
    const count = counts.get(facetOf(name)) ?? 0
    if (count >= maxNeighbours) return false
    counts.set(facetOf(name), count + 1)
    return true
  })
}
