import t from 'tap'
import { formatTraceparent, parseTraceparent } from '../../../src/tracing/traceparent.js'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const spanId = '00f067aa0ba902b7'

t.test('a traceparent says whose trace it is, and whether that is kept', async (t) => {
  t.strictSame(parseTraceparent(`00-${traceId}-${spanId}-01`), { traceId, spanId, isSampled: true })
  t.strictSame(parseTraceparent(`00-${traceId}-${spanId}-00`), { traceId, spanId, isSampled: false })
  t.strictSame(parseTraceparent(`00-${traceId}-${spanId}-fe`), { traceId, spanId, isSampled: false }, 'flags that nobody knows say nothing')
})

t.test('of a later version what is known is taken', async (t) => {
  t.strictSame(parseTraceparent(`01-${traceId}-${spanId}-01`), { traceId, spanId, isSampled: true })
  t.strictSame(parseTraceparent(`01-${traceId}-${spanId}-01-more`), { traceId, spanId, isSampled: true })
})

for (const [what, text] of Object.entries<unknown>({
  'no text': undefined,
  'a list': [`00-${traceId}-${spanId}-01`],
  'an empty text': '',
  'two of them': `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
  'a trace of zeros': `00-${'0'.repeat(32)}-${spanId}-01`,
  'a span of zeros': `00-${traceId}-${'0'.repeat(16)}-01`,
  'the version that is none': `ff-${traceId}-${spanId}-01`,
  'capital letters': `00-${traceId.toUpperCase()}-${spanId}-01`,
  'letters that are no digits': `00-${traceId.replace('4', 'g')}-${spanId}-01`,
  'a trace that is too short': `00-${traceId.slice(1)}-${spanId}-01`,
  'a trace that is too long': `00-${traceId}0-${spanId}-01`,
  'no flags': `00-${traceId}-${spanId}`,
  'more than version 00 has': `00-${traceId}-${spanId}-01-more`,
  'something in front': ` 00-${traceId}-${spanId}-01`,
  'a line break behind': `00-${traceId}-${spanId}-01\n`,
  'a later version without an end': `01-${traceId}-${spanId}-01-${'x'.repeat(100_000)}`
})) {
  t.test(`${what} is no traceparent`, async (t) => { t.equal(parseTraceparent(text), undefined) })
}

t.test('what is written is read again', async (t) => {
  for (const isSampled of [true, false]) t.strictSame(parseTraceparent(formatTraceparent({ traceId, spanId, isSampled })), { traceId, spanId, isSampled })
})
