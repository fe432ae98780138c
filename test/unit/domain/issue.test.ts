import t from 'tap'
import { clip, faultCodes, warningCodes, wordFault, wordFaultForRest, wordIssue, type Fault, type JobIssue, type Warning } from '../../../src/domain/issue.js'

const name: Fault = { code: 'required', path: 'name' }

for (const [fault, message] of [
  [name, 'Missing required field: name'],
  [{ code: 'required', path: 'variants[2].prices[0].currency' }, 'Missing required field: variants[2].prices[0].currency'],
  [{ code: 'invalid-url', path: 'externalUrl' }, 'Invalid URL format for externalUrl'],
  [{ code: 'malformed-json', path: '' }, 'Malformed JSON'],
  [{ code: 'too-long', path: 'name', detail: 255 }, 'name must be at most 255 characters'],
  [{ code: 'blank', path: 'brandName' }, 'brandName must not be blank'],
  [{ code: 'not-null', path: 'name' }, 'name must not be null'],
  [{ code: 'below-minimum', path: 'variants[0].prices[1].price', detail: 0 }, 'variants[0].prices[1].price must be at least 0'],
  [{ code: 'wrong-type', path: 'tags[3]', detail: 'a string' }, 'tags[3] must be a string'],
  [{ code: 'not-one-of', path: 'variants[0].inventoryPolicy', detail: 'CONTINUE, DENY' }, 'variants[0].inventoryPolicy must be one of CONTINUE, DENY'],
  [{ code: 'unknown-size-chart', path: 'sizeChartExternalId', detail: 'XL' }, 'sizeChartExternalId names an unknown size chart, cleared: "XL"']
] as Array<[Fault | Warning, string]>) {
  t.test(`GraphQL and logs say: ${message}`, async (t) => { t.equal(wordFault(fault), message) })
}

t.test('REST words a missing field as the field name quoted followed by is required', async (t) => {
  t.equal(wordFaultForRest(name), '"name" is required')
  t.equal(wordFaultForRest({ code: 'required', path: 'variants[2].name' }), '"variants[2].name" is required')
})

t.test('REST words a variant without ids as a missing field too', async (t) => {
  t.equal(wordFaultForRest({ code: 'variant-without-id', path: 'variants[1]' }), '"variants[1].externalId" is required (or "variants[1].sku")')
})

t.test('REST words everything else as GraphQL does', async (t) => {
  for (const code of [...faultCodes, ...warningCodes]) {
    if (code === 'required' || code === 'variant-without-id') continue
    const fault = { code, path: 'p', detail: 1 } as Fault
    t.equal(wordFaultForRest(fault), wordFault(fault), code)
  }
})

t.test('every code has words of its own', async (t) => {
  const messages = new Set([...faultCodes, ...warningCodes].map((code) => wordFault({ code, path: 'p', detail: 'd' } as Fault)))
  t.equal(messages.size, faultCodes.length + warningCodes.length)
})

const issue = (faults: Fault[], more: Partial<JobIssue> = {}): JobIssue =>
  ({ severity: 'error', file: 'a.jsonl', line: 1, externalId: null, faults, ...more })

t.test('one message names every fault, joined by "; "', async (t) => {
  const both = issue([name, { code: 'invalid-url', path: 'externalUrl' }])
  t.equal(wordIssue(both), 'Missing required field: name; Invalid URL format for externalUrl')
  t.equal(wordIssue(both, wordFaultForRest), '"name" is required; Invalid URL format for externalUrl')
})

t.test('the reason of a whole job is its message', async (t) => {
  t.equal(wordIssue(issue([], { line: null, message: 'The import was cancelled' })), 'The import was cancelled')
})

t.test('a warning told once tells how often it occurred', async (t) => {
  t.match(wordIssue(issue([name], { count: 7 })), /\(7 times\)$/)
  t.equal(wordIssue(issue([name], { count: 1 })), wordFault(name))
})

t.test('a hostile id is cut to 255 characters in a message', async (t) => {
  t.equal(clip('x'.repeat(255)).length, 255)
  t.equal(clip('x'.repeat(1_000_000)).length, 255)
})
