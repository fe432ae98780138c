/** What a shopper has typed, as words that are looked for. The word that says what the thing is weighs twice: of "wood lamp for the hall" the lamp. */
import { singular, splitWords } from '../words.js'

export interface QueryWord {
  /** As typed, folded. */
  typed: string
  /** As products have it (domain/words). */
  key: string
  /** Whether it says what is looked for, rather than which of them. */
  isHead: boolean
}

/** Each costs a look-up or two. */
const maxWords = 8
const lookedAt = 24
/** Say nothing about a product, and stand between it and what is said of it. */
const fillers = new Set(('a am an and any are at by can do for from give have i in is it like looking me my need of on or some that the this to want with without ' +
  'auf aus das dem den der des die ein eine einen einer fur ich im in mein meine mit oder ohne suche und von zu zum zur ' +
  'au aux avec de des du en et je la le les mon ma ou par pour sans un une ' +
  'con del el la las lo los mi para por sin un una di da per il lo gli senza met voor van een het of och med for till').split(' '))

export const isFiller = (word: string): boolean => fillers.has(word)

/** Empty when the text has no word. Of a text of fillers alone, they are the words. */
export function queryWordsOf (text: string): QueryWord[] {
  const typed = splitWords(text, lookedAt)
  const telling = typed.filter((word) => !fillers.has(word))
  const head = headOf(typed)
  const words = new Map<string, QueryWord>()
  for (const word of telling.length > 0 ? telling : typed) {
    const key = singular(word)
    const known = words.get(key)
    if (known !== undefined) known.isHead ||= word === head
    else if (words.size < maxWords) words.set(key, { typed: word, key, isHead: word === head })
  }
  return [...words.values()]
}

/** The last of the words that stand together: "gold necklace | for my wife", "lampe | de chevet". */
function headOf (typed: string[]): string | undefined {
  const from = typed.findIndex((word) => !fillers.has(word))
  const end = typed.findIndex((word, at) => at > from && fillers.has(word))
  const together = typed.slice(from, end === -1 ? undefined : end)
  // "iphone 15": a number tells which, not what.
  return together.findLast((word) => !/\d/.test(word)) ?? together.at(-1)
}
