/** What a cell holds, as far as it can be told from its text. */

/** Measures and sizes: a number first, and little else: 88, 86–92, 5′ 6″, 34 1/2 in, 40½, 32B, ≤ 70. */
const value = /^[^\p{L}\p{N}]*\p{N}[^\p{L}]*(?:\p{L}{1,3}\.?[^\p{L}]*){0,2}$/u

export const isValue = (text: string): boolean => value.test(text)

/** What one number or range is: a fraction belongs to the whole number before it, and both ends to a range. */
const dash = String.raw`\s*[-–—−~〜/x×+:]\s*`
const plain = String.raw`\p{Nd}+(?:[.,'’٫٬]\p{Nd}+)*`
const fraction = String.raw`(?:\s?[½¼¾⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞]|\s\p{Nd}{1,2}\s?[/⁄]\s?\p{Nd}{1,2})?`
const feet = String.raw`(?:\s?['’′](?:\s?\p{Nd}+${fraction}\s?(?:["”″]|''|′′)?)?|\s?["”″])?`
const one = `(?:${plain}${fraction}|[½¼¾⅓⅔⅛⅜⅝⅞])${feet}`
const measure = new RegExp(`${one}(?:${dash}${one})*`, 'gu')

/** The numbers of a text that stand for themselves. */
export const valuesIn = (text: string): string[] => text.match(measure) ?? []

/** Nothing but numbers, signs and units. */
export const isNumeric = (text: string): boolean => isValue(text) && valuesIn(text).length > 0

/** Whether a value goes on in the line below: a fraction under its whole number, the end of a range under its start, what is in brackets. */
export const goesOnBelow = (above: string, below: string): boolean =>
  /\p{N}\s*(?:[-–—]|\s(?:to|bis|à|a|до))$|\p{L}-$/u.test(above) || (/\p{N}/u.test(above) && /^\([^()]*\)$/u.test(below)) ||
  (/(?:^|[-–—\s])\p{Nd}+$/u.test(above) && /^\p{Nd}{1,2}[/⁄]\p{Nd}{1,2}$/u.test(below))
