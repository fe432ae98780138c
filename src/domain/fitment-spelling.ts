/**
 * How the values of facets are found in what people write. A value is known by its *spellings*: short texts, each looked
 * up by equality, so that a vocabulary of any size costs a few index look-ups.
 *
 *   =f150        the whole value, without case, accents, spaces and punctuation
 *   ~cvic        the same with one letter left out: two texts that share such a form are a typo apart
 *   +silverado   a part of it: its first words, or any one word ("Silverado 1500")
 *
 * Digits must be right: 2018 is no typo of 2019, nor F-150 of F-250.
 */
import { editDistance } from './edit-distance.js'
import { splitWords } from './words.js'

const maxWords = 8
/** Shorter ones have too many neighbours, longer ones are not typed by hand. */
const typoLength = { min: 4, max: 24 }
/** A longer word may have two letters wrong. */
const twoTyposFrom = 7
/** A part of letters alone; the first words may be shorter ("RX 350"), and so may numbers. */
const minPartLength = 3

export const squash = (value: string): string => splitWords(value, maxWords).join('')

export const wholeForm = (squashed: string): string => `=${squashed}`
export const partForm = (squashed: string): string => `+${squashed}`

export function spellingsOf (value: string): string[] {
  const words = splitAtNumbers(splitWords(value, maxWords))
  const whole = words.join('')
  // A value of signs alone is known by them.
  if (whole === '') return [wholeForm(value)]
  const forms = new Set([wholeForm(whole)])
  if (mayBeMistyped(whole)) for (const form of withOneLetterLess(whole)) forms.add(`~${form}`)
  if (words.length > 1) {
    for (let count = 1; count < words.length; count++) {
      const start = words.slice(0, count).join('')
      if (start.length > 1) forms.add(partForm(start))
    }
    for (const word of words) if (word.length >= minPartLength || (word.length > 1 && /\d/.test(word))) forms.add(partForm(word))
  }
  return [...forms]
}

/** A change between letters and digits is a word's end: "2019civic", "2500HD". */
export const splitAtNumbers = (words: string[]): string[] => words.flatMap((word) => word.match(/\d+|\D+/g) ?? [])

/** The forms under which a mistyped text meets the value that was meant. */
export function typoFormsOf (squashed: string): string[] {
  if (!mayBeMistyped(squashed)) return []
  const forms = new Set([`~${squashed}`])
  const once = withOneLetterLess(squashed)
  for (const form of once) forms.add(`~${form}`)
  if (squashed.length >= twoTyposFrom) for (const form of once) for (const twice of withOneLetterLess(form)) forms.add(`~${twice}`)
  // A letter too many: the text with one left out is the value itself.
  for (const form of once) forms.add(wholeForm(form))
  return [...forms]
}

export function mayBeMistyped (squashed: string): boolean {
  return squashed.length >= typoLength.min && squashed.length <= typoLength.max && /\D{3}/.test(squashed)
}

function withOneLetterLess (text: string): string[] {
  const forms = new Set<string>()
  for (let at = 0; at < text.length; at++) if (!/\d/.test(text.charAt(at))) forms.add(text.slice(0, at) + text.slice(at + 1))
  return [...forms]
}

/** How many letters are wrong, missing, too many or swapped; null when it is more than a slip. */
export function typosBetween (typed: string, meant: string): number | null {
  if (typed.replace(/\D/g, '') !== meant.replace(/\D/g, '')) return null
  const allowed = Math.min(typed.length, meant.length) >= twoTyposFrom ? 2 : 1
  return editDistance(typed, meant, allowed)
}
