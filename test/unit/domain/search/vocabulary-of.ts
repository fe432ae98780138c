/** A vocabulary of a catalog that is written down as the words of its products. */
import { Vocabulary } from '../../../../src/domain/search/vocabulary.js'
import { WordCounts } from '../../../../src/domain/search/word-counts.js'

export function vocabularyOf (...products: string[]): Vocabulary {
  const counts = new WordCounts()
  products.forEach((words, index) => { counts.add(`P${String(index).padStart(6, '0')}`, new Set(words.split(' '))) })
  return new Vocabulary({ ...counts.content(counts.words().sort()), isComplete: true, hasAllArchived: true, described: [] })
}
