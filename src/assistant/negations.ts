/**
 * What customers say that they do not have, in English, German, French and Spanish: "not a civic, an accord".
 *
 * A negation reaches over articles and words such as "have" to the next value, and over the values that stand directly beside it. Any other
 * word ends it ("no brakes for my civic", "not sure which civic", "sondern"), and so does a comma: "no, a civic". Behind
 * "or" it goes on. Values that stand together are denied together: who has no 2018 Civic may have another.
 */
import { isBreak, phraseAt, phrases, type Gram, type Word } from './phrase-words.js'

type Kind = 'any' | 'reply'
export interface Negation extends Gram { meaning: Kind }

const negators = phrases<Kind>({
  any: 'not, isnt, arent, wasnt, dont, doesnt, didnt, havent, hasnt, never, neither, nor, without, except, excluding, no longer, instead of, rather than, other than, ' +
    'nicht, kein, keine, keinen, keinem, keiner, keines, nie, niemals, ohne, statt, anstatt, anstelle, ausser, weder, ' +
    'ne, nai, nas, navons, navez, nest, netait, pas, sans, sauf, ni, aucun, aucune, au lieu de, au lieu du, au lieu dun, au lieu dune, plutot que, plutot quun, plutot quune, ' +
    'sin, nunca, tampoco, excepto, salvo, ningun, ninguna, en lugar de, en lugar del, en vez de, en vez del',
  // In English it is an answer, too: "no the civic". Followed by Spanish it is "not".
  reply: 'no'
})

const spanish = 'un una unos unas el la los las lo mi mis nuestro de del al para tengo tienes tiene tenemos es son era fue quiero busco necesito manejo conduzco poseo uso'
const linking: Record<Kind, ReadonlySet<string>> = {
  any: new Set((
    'a an the any my our your his her their one of have has had got own owned drive drove need want to buy mean meant looking for about that this actually really ' +
    'der die das den dem des ein eine einen einem einer eines mein meine meinen meinem unser unseren habe hab haben hat hatte fahre fahren besitze brauche suche will mehr fur von vom um ' +
    'le les une des du dun dune ma mon mes notre pas plus ai avons cest etait possede possedons conduis roule cherche veux pour avec ' + spanish
  ).split(' ')),
  reply: new Set(spanish.split(' '))
}
const alternatives = new Set(['or', 'nor', 'oder', 'noch', 'ou', 'o', 'ni'])
/** Verbs ("doesn't fit my civic"), though they may be values. */
const verbs = new Set(['fit', 'go', 'work'])

export const isNegator = (word: string): boolean => negators.has(word)
/** Stands between a negation or an "or" and what it is about, and says nothing. */
export const isLinking = (word: string): boolean => linking.any.has(word)

export function findNegations (words: Word[]): Negation[] {
  return words.flatMap((_, at) => {
    const found = phraseAt(words, at, negators)
    const last = words[(found?.end ?? 0) - 1]
    return found === null || found.end === words.length || last === undefined || isBreak(last) ? [] : [found]
  })
}

export interface Value extends Gram { isWeak: boolean, options: Array<{ facetId: string }> }

export interface Reach<T> {
  /** Each denied as a whole. */
  denied: T[][]
  /** Only articles and the like, though they could be values. */
  passed: T[]
}

/** `values`: those of the text, by their first word. Words that are none belong to no value. */
export function reachOf<T extends Value> (words: Word[], { start, end, meaning }: Negation, values: ReadonlyMap<number, T>): Reach<T> {
  const before = [...values.values()].find((value) => value.end === start)
  let together: T[] = []
  const reach: Reach<T> = { denied: [], passed: [] }
  for (let at = end; at < words.length;) {
    const text = words[at]?.text ?? ''
    const value = values.get(at)
    if (linking[meaning].has(text) && value?.isWeak !== false && (value?.end ?? 0) <= at + 1) {
      if (together.length > 0) break
      if (value !== undefined) reach.passed.push(value)
      at++
    } else if (value !== undefined && !(value.isWeak && verbs.has(text))) {
      if (together.some((other) => isOfOneFacet(other, value))) break
      if (together.length === 0) reach.denied.push(together)
      together.push(value)
      // "2018 not 2017 civic": the one is said in the place of the other, and what follows belongs to both.
      if (before !== undefined && value.start === end && isOfOneFacet(before, value)) break
      at = value.end
    } else if (together.length > 0 && alternatives.has(text)) {
      together = []
      at++
    } else break
    const last = words[at - 1]
    if (last !== undefined && isBreak(last)) break
  }
  return reach
}

const isOfOneFacet = (a: Value, b: Value): boolean => a.options.some(({ facetId }) => b.options.some((other) => other.facetId === facetId))
