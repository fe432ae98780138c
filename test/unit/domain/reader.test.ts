import fc from 'fast-check'
import t from 'tap'
import { maxFaults, type Fault } from '../../../src/domain/issue.js'
import {
  amount, boolean, currency, dateTime, httpUrl, integer, list, oneOf, orNull, prefixFaults, text, textOrInteger, type Reader
} from '../../../src/domain/reader.js'

function read<T> (reader: Reader<T>, value: unknown): { value: T | null, codes: string[] } {
  const faults: Fault[] = []
  const result = reader(value, faults)
  return faults.length === 0 ? { value: result, codes: [] } : { value: null, codes: faults.map(({ code }) => code) }
}

const shown = (value: unknown): string => {
  const text = typeof value === 'number' ? String(value) : JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 40)}… (${text.length})` : text
}

function accepts<T> (what: string, reader: Reader<T>, values: Array<[sent: unknown, kept: unknown]>): void {
  for (const [sent, kept] of values) {
    t.test(`${what} accepts ${shown(sent)}`, async (t) => { t.strictSame(read(reader, sent), { value: kept, codes: [] }) })
  }
}

function refuses<T> (what: string, reader: Reader<T>, code: string, values: unknown[]): void {
  for (const sent of values) {
    t.test(`${what} refuses ${shown(sent)} as ${code}`, async (t) => { t.strictSame(read(reader, sent).codes, [code]) })
  }
}

const same = (...values: unknown[]): Array<[unknown, unknown]> => values.map((value) => [value, value])
const noString = [1, true, {}, [], ['a']]

accepts('text', text(), same('', 'a', ' a ', '1'))
refuses('text', text(), 'wrong-type', noString)
refuses('text', text(), 'not-null', [null])
refuses('non-blank text', text({ nonBlank: true }), 'blank', ['', ' ', '\t\n', '\u00A0'])
accepts('text of at most 3', text({ max: 3 }), same('abc', '\u{1F600}\u{1F600}\u{1F600}'))
refuses('text of at most 3', text({ max: 3 }), 'too-long', ['abcd', '\u{1F600}'.repeat(4)])

accepts('sku and upc', textOrInteger({}), [['007', '007'], [7, '7'], [0, '0'], [-1, '-1'], [123_456_789_012, '123456789012'], [Number.MAX_SAFE_INTEGER, '9007199254740991']])
refuses('sku and upc', textOrInteger({}), 'wrong-type', [1.5, 2 ** 53, 1e21, Infinity, true, {}, [], null])

accepts('a URL', httpUrl(), same('http://example.com', 'https://example.com/a?b=c#d', 'HTTPS://EXAMPLE.COM/', 'https://user@example.com:8443/', 'https://münchen.example/ü', 'http://[::1]/'))
refuses('a URL', httpUrl(), 'invalid-url', ['', 'example.com', '/path', '//example.com/a', 'ftp://example.com', 'javascript:alert(1)', 'mailto:a@example.com', 'http://', 'https:// example.com', 'http:example.com', ' https://example.com', 'https://exa mple.com', 'data:text/html,x', 'file:///etc/passwd'])
refuses('a URL', httpUrl(), 'wrong-type', noString)
const urlOf = (length: number): string => 'https://example.com/'.padEnd(length, 'x')
t.test('a URL is judged by itself, whatever came before it', (t) => {
  const hosts = ['shop.example', 'shop.example.', 'a.shop.example', 'SHOP.example', 'shop.example:80', 'shop.example:65536', 'user@shop.example', 'shop..example', '1.2.3.4', '1.2.3.256', 'xn--a', '[::1]', 'shop example', '']
  const ends = ['', '/', '/a b', '/?#', '/\u{1F600}', '/%', '\\a', '@evil.example/', ':x/']
  const urls = hosts.flatMap((host) => ends.map((end) => `https://${host}${end}`))
  const refused = urls.flatMap((before) => {
    const reader = httpUrl()
    read(reader, before)
    return urls.filter((url) => (read(reader, url).codes.length === 0) !== URL.canParse(url)).map((url) => [before, url])
  })
  t.strictSame(refused, [])
  t.end()
})

accepts('an image URL', httpUrl(2_048), same(urlOf(2_048)))
refuses('an image URL', httpUrl(2_048), 'too-long', [urlOf(2_049)])
accepts('a URL without a limit', httpUrl(), same(urlOf(5_000)))

accepts('a boolean', boolean, same(true, false))
refuses('a boolean', boolean, 'wrong-type', ['true', 'false', 0, 1, '', {}, []])

accepts('an integer', integer(), [[0, 0], [-0, 0], [-5, -5], [2 ** 31 - 1, 2 ** 31 - 1], [-(2 ** 31), -(2 ** 31)], [3.0, 3]])
refuses('an integer', integer(), 'wrong-type', ['5', 1.5, NaN, Infinity, 2 ** 31, 1e300, true, [], {}])
accepts('a quantity', integer({ min: 0 }), same(0, 1))
refuses('a quantity', integer({ min: 0 }), 'below-minimum', [-1])

accepts('an amount', amount, [[0, 0], [-0, 0], [19.99, 19.99], [1e15, 1e15], [Number.MIN_VALUE, Number.MIN_VALUE]])
refuses('an amount', amount, 'below-minimum', [-0.01, -1])
refuses('an amount', amount, 'wrong-type', ['9.99', '', null, NaN, Infinity, -Infinity, true, {}, []])

accepts('a currency', currency, same('USD', 'EUR', 'JPY', 'CHF'))
refuses('a currency', currency, 'unknown-currency', ['usd', 'Usd', 'US', 'USDD', 'ABC', '', ' USD', 840, null, {}, 'constructor'])

accepts('one of', oneOf(['CONTINUE', 'DENY']), same('CONTINUE', 'DENY'))
refuses('one of', oneOf(['CONTINUE', 'DENY']), 'not-one-of', ['continue', '', 'ALLOW', 1, true, ['DENY']])

accepts('a time', dateTime, ([
  ['2024-05-01', '2024-05-01T00:00:00.000Z'],
  ['2024-05-01T10:00Z', '2024-05-01T10:00:00.000Z'],
  ['2024-05-01T10:00:00Z', '2024-05-01T10:00:00.000Z'],
  ['2024-05-01T10:00:00.5Z', '2024-05-01T10:00:00.500Z'],
  ['2024-05-01T10:00:00.123456789Z', '2024-05-01T10:00:00.123Z'],
  ['2024-05-01T10:00:00,25Z', '2024-05-01T10:00:00.250Z'],
  ['2024-05-01T10:00:00,25+02:00', '2024-05-01T08:00:00.250Z'],
  ['2024-05-01T10:00:00+02:00', '2024-05-01T08:00:00.000Z'],
  ['2024-05-01T10:00:00+0530', '2024-05-01T04:30:00.000Z'],
  ['2024-05-01T10:00:00-05', '2024-05-01T15:00:00.000Z'],
  ['2024-05-01T10:00-05:00', '2024-05-01T15:00:00.000Z'],
  ['2024-01-01T00:00:00+14:00', '2023-12-31T10:00:00.000Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000Z'],
  ['2024-12-31T23:59:59Z', '2024-12-31T23:59:59.000Z'],
  ['9999-12-31', '9999-12-31T00:00:00.000Z']
] as const).map(([sent, kept]) => [sent, new Date(kept)]))
refuses('a time', dateTime, 'invalid-datetime', [
  '', 'now', '2024', '2024-05', '2024-05-01T10:00:00', '2024-05-01 10:00:00Z', '2024-05-01T10Z', '2024-02-30', '2024-02-30T10:00:00Z',
  '2023-02-29', '1900-02-29', '2024-04-31', '2024-00-10', '2024-13-01', '2024-05-00', '2024-05-32', '2024-05-01T24:00:00Z', '2024-05-01T10:60:00Z',
  '2024-05-01T10:00:60Z', '2024-05-01T10:00:00+24:00', '2024-05-01T10:00:00+02:60', '2024-05-01T10:00:00Z ', ' 2024-05-01', '2024-5-1', '05/01/2024',
  '2024-05-01T10:00:00 Z', '2024-05-01T10:00:00.Z', `2024-05-01T10:00:00.${'1'.repeat(100)}Z`, '12024-05-01', 1_714_557_600_000, true, {}, []
])

t.test('a time in UTC is what Date takes it for, to the millisecond, the second and the day', async (t) => {
  const instants = fc.date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })
  fc.assert(fc.property(instants, (instant) => {
    const text = instant.toISOString()
    return [text, `${text.slice(0, 19)}Z`, text.slice(0, 10)].every((each) => {
      const { value, codes } = read(dateTime, each)
      return codes.length === 0 && value?.getTime() === Date.parse(each)
    })
  }), { numRuns: 2_000 })
  t.pass()
})

t.test('null clears what may be null', async (t) => { t.strictSame(read(orNull(integer()), null), { value: null, codes: [] }) })
t.test('null clears a list', async (t) => { t.strictSame(read(list(text()), null), { value: [], codes: [] }) })
refuses('a list', list(text()), 'wrong-type', ['a', { 0: 'a', length: 1 }, 1, true])

t.test('faults in a list say where, each of them', async (t) => {
  const faults: Fault[] = []
  list(list(text()))([['a', 1], 'b', [null]], faults)
  t.strictSame(faults.map(({ path, code }) => `${path} ${code}`), ['[0][1] wrong-type', '[1] wrong-type', '[2][0] not-null'])
})

t.test('a hostile list cannot fill memory with faults', async (t) => {
  const faults: Fault[] = []
  list(text())(new Array(1_000_000).fill(1), faults)
  t.ok(faults.length <= maxFaults)
})

t.test('a list that is read leaves the one that was sent as it is', async (t) => {
  const sent = ['a', null, '']
  t.strictSame(read(list(orNull(textOrInteger({}))), sent), { value: ['a', null, ''], codes: [] })
  t.strictSame(read(list(textOrInteger({})), [1, 2]), { value: ['1', '2'], codes: [] })
  t.strictSame(sent, ['a', null, ''])
})

t.test('a list with too many faults ends where reading ended', async (t) => {
  const faults: Fault[] = []
  t.equal(list(text())(new Array(1_000).fill(1), faults).length, faults.length)
})

t.test('paths of fields and of list entries are joined as people write them', async (t) => {
  const faults: Fault[] = [{ code: 'required', path: 'earlier' }, { code: 'required', path: 'currency' }, { code: 'required', path: '[0]' }, { code: 'required', path: '' }]
  prefixFaults(faults, 1, 'prices')
  t.strictSame(faults.map(({ path }) => path), ['earlier', 'prices.currency', 'prices[0]', 'prices'])
})
