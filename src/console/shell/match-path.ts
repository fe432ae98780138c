/** Which page an address is of. */

/** What stands where the pattern has `:name`; null when it is another page. */
export function matchPath (pattern: string, given: string): Record<string, string> | null {
  const [wanted, found] = [pattern.split('/'), given.split('/')]
  if (wanted.length !== found.length) return null
  const values: Record<string, string> = {}
  for (const [index, part] of wanted.entries()) {
    const text = found[index] as string
    if (part.startsWith(':')) {
      try {
        values[part.slice(1)] = decodeURIComponent(text)
      } catch {
        return null // an escape that is none
      }
    } else if (part !== text) return null
  }
  return values
}
