/** Reads one field of a request with a reader of domain/reader; what is wrong with it refuses the request. */
import { badInput } from '../errors.js'
import { wordFault, type Fault } from './issue.js'
import { prefixFaults, type Reader } from './reader.js'

/** `path` is where the value stands in the arguments, such as `input.storeCode`. Throws BAD_USER_INPUT. */
export function readInput<T> (read: Reader<T>, value: unknown, path: string): T {
  const faults: Fault[] = []
  const result = read(value, faults)
  prefixFaults(faults, 0, path)
  const [fault] = faults
  if (fault !== undefined) throw badInput(wordFault(fault), path)
  return result
}

/** Text that can be stored and compared as it was sent: a lone surrogate would come back as another character. */
export const wellFormed = (read: Reader<string>): Reader<string> => (value, faults) => {
  const before = faults.length
  const text = read(value, faults)
  if (faults.length === before && !text.isWellFormed()) faults.push({ code: 'lone-surrogate', path: '' })
  return text
}
