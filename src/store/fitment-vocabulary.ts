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
import { spellingsOf } from '../domain/fitment-spelling.js'
import type { FacetValue } from '../domain/fitment-target.js'
import type { Collections } from './connection.js'
import { ignoreDuplicates } from './database-errors.js'
import { findByIds } from './find-by-ids.js'

/** The document in `fitment_values`. */
export interface FitmentValueDocument {
  /** Deterministic, see valueId. */
  _id: string
  vendorId: string
  facetId: string
  /** null: the facet as a whole; then the neighbours are its own values. */
  value: string | null
  /** Digests of the vendor and a spelling: one field, so that many can be looked up at once. */
  spellings: string[]
  /** `facetId:value`. */
  neighbours: string[]
}

export interface KnownValue extends FacetValue {
  /** Values seen together with this one; null where there are more than are kept, so that none is excluded. */
  neighboursAt (facetId: string): string[] | null
}

export interface FitmentVocabulary {
  /** Makes values and their neighbours known. Repeating it is harmless. */
  learn (vendorId: string, targets: FacetValue[][]): Promise<void>
  /** The values that have one of these spellings (domain/fitment-spelling). */
  findBySpellings (vendorId: string, spellings: string[]): Promise<KnownValue[]>
  find (vendorId: string, values: FacetValue[]): Promise<KnownValue[]>
  /** Values of a facet, at most as many as are kept. */
  valuesOf (vendorId: string, facetId: string): Promise<string[]>
  /** Of a facet that is deleted. */
  forget (vendorId: string, facetId: string): Promise<void>
}

/** Of one facet. Nobody is asked to choose among more. */
const maxNeighbours = 500
/** Targets per turn of the event loop. */
const turnSize = 250
const spellingsPerQuery = 50

const digest = (...parts: Array<string | null>): string => hash('sha256', JSON.stringify(parts), 'base64url')
const valueId = (vendorId: string, facetId: string, value: string | null): string => digest(vendorId, facetId, value).slice(0, 22)
const spellingKey = (vendorId: string, spelling: string): string => digest(vendorId, spelling).slice(0, 12)

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

  async function read (vendorId: string, ids: string[]): Promise<KnownValue[]> {
    const found = await findByIds(fitmentValues, ids, { vendorId: 1, facetId: 1, value: 1, neighbours: 1 })
    return found.flatMap((document) => document.vendorId === vendorId ? toKnownValue(document) : [])
  }

  return {
    async learn (vendorId, targets) {
      const lessons = await lessonsOf(vendorId, targets)
      const known = new Map((await findByIds(fitmentValues, [...lessons.keys()], { neighbours: 1 })).map(({ _id, neighbours }) => [_id, neighbours]))
      const fresh: Array<[string, Lesson]> = []
      const more: Array<[string, string[]]> = []
      for (const [_id, lesson] of lessons) {
        const neighbours = known.get(_id)
        if (neighbours === undefined) fresh.push([_id, lesson])
        else more.push([_id, withinBounds(neighbours, [...lesson.neighbours])])
      }
      await write(vendorId, fresh, more)
    },
    async findBySpellings (vendorId, spellings) {
      const keys = [...new Set(spellings)].map((spelling) => spellingKey(vendorId, spelling))
      const found: KnownValue[] = []
      for (let from = 0; from < keys.length; from += spellingsPerQuery) {
        const filter = { spellings: { $in: keys.slice(from, from + spellingsPerQuery) } }
        for (const document of await fitmentValues.find(filter, { projection: { spellings: 0 }, limit: maxNeighbours }).toArray()) {
          if (document.vendorId === vendorId) found.push(...toKnownValue(document))
        }
      }
      return [...new Map(found.map((value) => [`${value.facetId}:${value.value}`, value])).values()]
    },
    find: async (vendorId, values) => await read(vendorId, values.map(({ facetId, value }) => valueId(vendorId, facetId, value))),
    async valuesOf (vendorId, facetId) {
      const found = await fitmentValues.findOne({ _id: valueId(vendorId, facetId, null) })
      return found === null ? [] : namesAt(found.neighbours, facetId)
    },
    async forget (vendorId, facetId) {
      await fitmentValues.deleteMany({ vendorId, facetId })
    }
  }
}

function toKnownValue ({ facetId, value, neighbours }: Pick<FitmentValueDocument, 'facetId' | 'value' | 'neighbours'>): KnownValue[] {
  if (value === null) return []
  return [{
    facetId,
    value,
    neighboursAt (other) {
      const names = namesAt(neighbours, other)
      return names.length < maxNeighbours ? names : null
    }
  }]
}

const namesAt = (neighbours: string[], facetId: string): string[] =>
  neighbours.filter((name) => name.startsWith(`${facetId}:`)).map((name) => name.slice(facetId.length + 1))

/** Those of `added` that are new, as far as each facet has room. */
function withinBounds (known: string[], added: string[]): string[] {
  const have = new Set(known)
  const counts = new Map<string, number>()
  const facetOf = (name: string): string => name.slice(0, name.indexOf(':'))
  for (const name of known) counts.set(facetOf(name), (counts.get(facetOf(name)) ?? 0) + 1)
  return added.filter((name) => {
    const count = counts.get(facetOf(name)) ?? 0
    if (have.has(name) || count >= maxNeighbours) return false
    counts.set(facetOf(name), count + 1)
    return true
  })
}
