import { badInput } from '../../../errors.js'

/** `first` (or `last`) as asked for, or its default when it is null. Throws BAD_USER_INPUT outside of the range. */
export function pageSize (first: number | null | undefined, range: { min: number, max: number, default: number }, name = 'first'): number {
  const size = first ?? range.default
  if (size < range.min || size > range.max) throw badInput(`${name} must be from ${range.min} to ${range.max}`, name)
  return size
}
