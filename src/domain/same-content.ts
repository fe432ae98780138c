/** Whether two values of stored products are equal, deeply; parts shared by merging are told at once. */
export function sameContent (a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (a instanceof Date) return b instanceof Date && a.getTime() === b.getTime()
  if (Array.isArray(a)) return Array.isArray(b) && isSameList(a, b)
  const left = a as Record<string, unknown>
  const right = b as Record<string, unknown>
  const keys = Object.keys(left)
  if (keys.length !== Object.keys(right).length) return false
  for (const key of keys) if (!sameContent(left[key], right[key])) return false
  return true
}

function isSameList (a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false
  for (let index = 0; index < a.length; index++) if (!sameContent(a[index], b[index])) return false
  return true
}

/** Whether two maps have the same keys in the same order. */
export function isSameOrder (a: ReadonlyMap<string, unknown>, b: ReadonlyMap<string, unknown>): boolean {
  if (a.size !== b.size) return false
  const others = b.keys()
  for (const key of a.keys()) if (others.next().value !== key) return false
  return true
}
