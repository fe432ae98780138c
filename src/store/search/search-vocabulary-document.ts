import type { Reach } from '../../domain/search/vocabulary.js'

/** The document in `search_vocabularies`. Lists as text: it is read whole, and text decodes faster. */
export interface SearchVocabularyDocument {
  /** The vendor's id. */
  _id: string
  countedAt: Date
  tookMs: number
  products: number
  /** false: there were more live products than were looked at. */
  isComplete: boolean
  /** The same of archived ones; absent: they were not looked at, as in the version before. */
  hasAllArchived?: boolean
  languages: string[]
  /** In order, one a line. */
  words: string
  counts: string
  reaches: Array<{ word: string, reaches: readonly Reach[] }>
  /** See domain/search/described-words; one a line. */
  described: string
  /** How often products have been written, as far as is marked, and how often when it was counted. */
  changes: number
  ofChanges: number
  /** A search has found it old; absent: none has, since it was counted. */
  dueAt?: Date
}
