/** The products among which a search looks (product-search, word-search), as filters. */
import type { Filter } from 'mongodb'
import type { Looks } from '../database/find-among.js'
import type { ProductDocument } from '../catalog/product-document.js'

/** Products among which is looked. */
export interface Among {
  vendorId: string
  archived: boolean
  /** Of which they have all; the one that the fewest are expected to have comes first. */
  keys: string[]
  /** false: those alone that are linked to no target; null: whichever. */
  targeted: false | null
  /** Made for the target that is asked for. */
  isLinked: boolean
  wanted: Filter<ProductDocument>
  /** Nothing is wanted but that they are published. */
  isPlain: boolean
  /** How many are looked at for what is wanted. */
  looks: Partial<Looks>
}

/** What else has to hold. Not $all, which the embedded servers find nothing with when it names two keys. */
export const besides = (keys: string[], { targeted, wanted }: Among): Filter<ProductDocument> => ({
  ...(keys.length === 0 ? {} : { $and: keys.map((key) => ({ 'searchKeys.key': key })) }),
  ...(targeted === null ? {} : { targeted }),
  ...wanted
})
