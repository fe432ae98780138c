/**
 * What can be wrong with a record, as data. A stored issue holds a code, the field path and the values; each surface
 * words it (spec/decisions.md, "Import", Messages). Faults reject their line; warnings do not.
 */

/** One thing that is wrong with one field. `path` reads `variants[2].prices[0].currency`, '' is the record itself. */
export interface Fault {
  code: FaultCode
  path: string
  /** The limit, the expected form or the value's fault that the wording needs. Never a whole foreign value. */
  detail?: string | number
}

export const faultCodes = [
  'malformed-json', 'invalid-utf8', 'line-too-long', 'too-many-values', 'not-an-object', 'too-deep', 'lone-surrogate', 'product-too-large',
  'too-many-merged', 'required', 'blank', 'not-null', 'wrong-type', 'invalid-url', 'too-long', 'unknown-currency', 'below-minimum',
  'invalid-datetime', 'not-one-of', 'variant-without-id', 'too-many'
] as const
export type FaultCode = (typeof faultCodes)[number]

/** A hostile record can hold a million faults; what a person can read ends earlier. So for warnings. */
export const maxFaults = 100

export interface Warning {
  code: WarningCode
  path: string
  detail?: string | number
}

export const warningCodes = [
  'duplicate-variant', 'unknown-image', 'unknown-fitment-target', 'unknown-size-chart', 'unknown-store-code', 'archive-skipped'
] as const
export type WarningCode = (typeof warningCodes)[number]

export type IssueCode = FaultCode | WarningCode

const wording: Record<IssueCode, (path: string, detail: string | number | undefined) => string> = {
  'malformed-json': () => 'Malformed JSON',
  'invalid-utf8': () => 'Invalid UTF-8',
  'line-too-long': (_path, limit) => `Line is longer than ${limit} bytes`,
  'too-many-values': (_path, limit) => `Line holds more than ${limit} JSON values`,
  'not-an-object': () => 'A product must be a JSON object',
  'too-deep': (path, limit) => `${path === '' ? 'Line' : path} is nested deeper than ${limit} levels`,
  'lone-surrogate': (path) => `${path} contains a lone surrogate, which is not valid Unicode`,
  'product-too-large': (_path, limit) => `The product would be larger than ${limit} bytes`,
  'too-many-merged': (path, limit) => `${path} would come to more than ${limit} once merged`,
  required: (path) => `Missing required field: ${path}`,
  blank: (path) => `${path} must not be blank`,
  'not-null': (path) => `${path} must not be null`,
  'wrong-type': (path, expected) => `${path} must be ${expected}`,
  'invalid-url': (path) => `Invalid URL format for ${path}`,
  'too-long': (path, limit) => `${path} must be at most ${limit} characters`,
  'unknown-currency': (path) => `${path} must be an ISO 4217 currency code`,
  'below-minimum': (path, minimum) => `${path} must be at least ${minimum}`,
  'invalid-datetime': (path) => `${path} must be an ISO 8601 date and time with a zone`,
  'not-one-of': (path, allowed) => `${path} must be one of ${allowed}`,
  'variant-without-id': (path) => `Missing required field: ${path}.externalId (or ${path}.sku)`,
  'too-many': (path, limit) => `${path} must hold at most ${limit} entries`,
  'duplicate-variant': (path, id) => `${path} repeats variant ${quote(id)}: the later fields win`,
  'unknown-image': (path, id) => `${path} matches no image: ${quote(id)}`,
  'unknown-fitment-target': (path, id) => `${path} names an unknown fitment target, skipped: ${quote(id)}`,
  'unknown-size-chart': (path, id) => `${path} names an unknown size chart, cleared: ${quote(id)}`,
  'unknown-store-code': (path, id) => `${path} names an unknown store code, ignored: ${quote(id)}`,
  'archive-skipped': (_path, lines) => `Nothing was archived: it cannot be told which products these lines are about: ${lines}`
}

const quote = (value: string | number | undefined): string => JSON.stringify(String(value))

/** GraphQL, logs and the command line. */
export const wordFault = (fault: Fault | Warning): string => wording[fault.code](fault.path, fault.detail)

/** REST words a missing field `"name" is required`, the rest as GraphQL does (interface.md, Errors 2). */
export function wordFaultForRest (fault: Fault | Warning): string {
  if (fault.code === 'required') return `"${fault.path}" is required`
  if (fault.code === 'variant-without-id') return `"${fault.path}.externalId" is required (or "${fault.path}.sku")`
  return wordFault(fault)
}

/** The longest foreign text that an issue repeats; the rest is cut so that a hostile id cannot fill the store. */
const maxDetailLength = 255

export const clip = (text: string): string =>
  text.length <= maxDetailLength ? text : `${text.slice(0, maxDetailLength - 1).toWellFormed()}…`

/**
 * An issue as a job keeps it. `line: null` belongs to the job as a whole and carries its reason as `message`;
 * for lines, `faults` is worded by the surface. `count` is how often a warning that is told once occurred.
 */
export interface JobIssue {
  severity: 'error' | 'warning'
  file: string | null
  line: number | null
  externalId: string | null
  faults: Array<Fault | Warning>
  message?: string
  count?: number
}

/** One message for the whole issue, its faults joined by `; `. */
export function wordIssue (issue: JobIssue, word: (fault: Fault | Warning) => string = wordFault): string {
  const text = issue.message ?? issue.faults.map(word).join('; ')
  return issue.count !== undefined && issue.count > 1 ? `${text} (${issue.count} times)` : text
}
