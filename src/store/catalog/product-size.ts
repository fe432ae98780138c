/** How large a product about is. */

/** Text, and 16 for whatever is not text. */
export function charactersIn (value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null || value instanceof Date) return 16
  let characters = 16
  for (const key in value) characters += key.length + charactersIn((value as Record<string, unknown>)[key])
  return characters
}
