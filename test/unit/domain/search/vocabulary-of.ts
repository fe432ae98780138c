/** Vocabularies of catalogs that are written down as the words of their products. */
import { Vocabulary } from '../../../../src/domain/search/vocabulary.js'
import { WordCounts } from '../../../../src/domain/search/word-counts.js'

/** Of products in order, each by its words. */
export const vocabularyOf = (...products: string[]): Vocabulary => counted(products, true)

/** Of a catalog with more products behind these. */
export const partOf = (...products: string[]): Vocabulary => counted(products, false)

function counted (products: string[], isComplete: boolean): Vocabulary {
  const counts = new WordCounts()
  products.forEach((words, index) => { counts.add(`P${String(index).padStart(6, '0')}`, new Set(words.split(' '))) })
  return new Vocabulary({ ...counts.content(counts.words().sort()), isComplete, hasAllArchived: true, described: [] })
}
