/** Text as words that compare: without case, accents and punctuation, for every script. */

const maxWordLength = 32
/** Text beyond this is not looked at. */
const maxTextLength = 2_000
const ascii = /^[\x00-\x7f]*$/ // eslint-disable-line no-control-regex
const asciiWord = /[a-z0-9]+/g
const word = /[\p{L}\p{M}\p{N}]+/gu
const marks = /\p{M}+/gu
/** Letters that Unicode does not decompose, though people write them without. */
const plain: Record<string, string> = { ø: 'o', đ: 'd', ł: 'l', ß: 'ss', æ: 'ae', œ: 'oe', ı: 'i' }

/** Lower case, without accents. Apostrophes vanish, so that "it's" is one word. */
export function foldText (text: string): string {
  const cut = text.length > maxTextLength ? text.slice(0, maxTextLength) : text
  if (ascii.test(cut)) return cut.toLowerCase().replaceAll("'", '')
  const folded = cut.toLowerCase().normalize('NFKD').replace(/['’]/g, '').replace(/[øđłßæœı]/g, (letter) => plain[letter] ?? letter)
  // Marks are accents in Latin, Greek and Cyrillic; elsewhere they are vowels.
  return folded.replace(/([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu, '$1')
}

/** The words of a text, in order, repeated ones too; at most `max`. */
export function splitWords (text: string, max: number): string[] {
  const folded = foldText(text)
  const isAscii = ascii.test(folded)
  const found = folded.match(isAscii ? asciiWord : word) ?? []
  const words = found.slice(0, max).map(cutWord)
  return isAscii ? words : words.filter(isMoreThanMarks)
}

const cutWord = (word: string): string => word.length > maxWordLength ? word.slice(0, maxWordLength) : word
const isMoreThanMarks = (word: string): boolean => word.replace(marks, '') !== ''

/** Words as the product search compares them: a plural is its singular. */
export function wordsOf (text: string, max: number): string[] {
  return splitWords(text, max).map(singular)
}

/** Without the s of most plurals: what products are stored with, in whatever language. */
export const singular = (word: string): string => word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word
