/** The order of sizes: S, M, L; 38, 38½; 2–3 years, 4–5 years. */

export interface Size {
  /** Those of one kind follow each other. */
  kind: string
  rank: number
}

const fractions: Record<string, number> = { '¼': 0.25, '½': 0.5, '¾': 0.75 }

/** null: no size that is known. */
export function sizeOf (text: string): Size | null {
  const [, digits = '', crosses = '', letter = ''] = /^(\d{0,2})(X*)([SML])(?!\p{L})/iu.exec(text) ?? []
  if (letter !== '' && (digits === '' || crosses.length === 1)) {
    const times = digits === '' ? crosses.length : Number(digits)
    const side = { S: -1, M: 0, L: 1 }[letter.toUpperCase()] ?? 0
    return { kind: 'letters', rank: side * (1 + times) }
  }
  const [, number = '', fraction = ''] = /^(\d+(?:[.,]\d+)?)\s?([¼½¾]?)/u.exec(text) ?? []
  if (number === '') return null
  return { kind: text.replace(/\d+(?:[.,]\d+)?\s?[¼½¾]?/gu, '#'), rank: Number(number.replace(',', '.')) + (fractions[fraction] ?? 0) }
}

/** Where they begin anew, smaller or of another kind; null: one of them is no size. */
export function beginningsOf (texts: readonly string[]): number[] | null {
  const sizes = texts.map(sizeOf)
  if (sizes.includes(null)) return null
  return sizes.flatMap((size, index) => {
    const before = sizes[index - 1]
    return before === null || before === undefined || size === null || size.kind !== before.kind || size.rank <= before.rank ? [index] : []
  })
}
