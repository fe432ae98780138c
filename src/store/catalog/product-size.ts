/** How large a product about is. */

/** Text, and 16 for whatever is not text. */
export function charactersIn (value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null || value instanceof Date) return 16
  let characters = 16
  if (Array.isArray(value)) {
    // Their indexes count as well, as they are keys where they are stored.
    for (let index = 0, digits = 1, next = 10; index < value.length; index++) {
      if (index === next) {
        digits++
        next *= 10
      }
      characters += digits + charactersIn(value[index])
    }
    return characters
  }
  for (const key in value) characters += key.length + charactersIn((value as Record<string, unknown>)[key])
  return characters
}
