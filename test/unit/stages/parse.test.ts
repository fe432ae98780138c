import t from 'tap'
import { Envelope } from '../../../src/engine/envelope.js'
import { adopt, parse } from '../../../src/stages/parse.js'
import { markLine } from '../../../src/domain/line-markers.js'
import { maxJsonValues } from '../../../src/domain/json-bounds.js'
import { wordFault } from '../../../src/domain/issue.js'

type Parsed = Envelope<Record<string, unknown>>

const parsed = (text: string): Parsed => parse([new Envelope({ file: 0, line: 1 }, text)])[0] as Parsed
const adopted = async (value: unknown): Promise<Parsed> => (await adopt([new Envelope<unknown>({ file: 0, line: 1 }, value)]))[0] as Parsed

for (const text of ['{', '{"externalId":"P",}', '{"externalId":"P"} {}', '{externalId:"P"}', "{'externalId':'P'}", 'undefined', 'NaN', '{"a":NaN}', '{"a":01}', '{"a":"\t"}', 'x', '{"externalId":"P"', '\uFEFF{}']) {
  t.test(`${JSON.stringify(text)} is malformed JSON, of a product that is not known`, async (t) => {
    const { faults, externalId, value } = parsed(text)
    t.strictSame(faults.map(wordFault), ['Malformed JSON'])
    t.equal(externalId, null)
    t.equal(value, null)
  })
}

for (const text of ['[]', '[{"externalId":"P"}]', '"P"', '5', 'true', 'null']) {
  t.test(`${text} is JSON and no product`, async (t) => {
    t.strictSame((parsed(text)).faults.map(wordFault), ['A product must be a JSON object'])
  })
}

t.test('the markers of the line guard say what was wrong with the line', async (t) => {
  t.strictSame((parsed(markLine('line-too-long', null))).faults.map(wordFault), ['Line is longer than 16777216 bytes'])
  t.strictSame((parsed(markLine('invalid-utf8', null))).faults.map(wordFault), ['Invalid UTF-8'])
})

for (const text of [' {"externalId":"P"} ', '{"externalId":"P"}\r', '\t{"externalId":"P"}', '{"externalId":"\\u0050"}', '{"externalId":"Q","externalId":"P"}']) {
  t.test(`${JSON.stringify(text)} is product P`, async (t) => {
    const { faults, externalId } = parsed(text)
    t.strictSame(faults, [])
    t.equal(externalId, 'P')
  })
}

t.test('the external id is known as soon as it can be read, whatever else is wrong', async (t) => {
  t.equal((parsed('{"externalId":"P","name":"\\ud800"}')).externalId, 'P')
  t.equal((parsed('{"externalId":5}')).externalId, null)
})

for (const [what, text, path] of [
  ['a value', '{"externalId":"P","name":"a\\ud800b"}', 'name'],
  ['the other half', '{"externalId":"P","name":"\\udc00"}', 'name'],
  ['the external id', '{"externalId":"\\ud800"}', 'externalId'],
  ['a nested value', '{"externalId":"P","variants":[{"sku":"S","prices":[{"currency":"\\uDFFF"}]}]}', 'variants'],
  ['a nested key', '{"externalId":"P","variants":[{"\\ud800":1}]}', 'variants'],
  ['a key', '{"externalId":"P","meta:\\ud800":1}', 'meta:\uFFFD'],
  ['a metafield', '{"externalId":"P","meta:a":{"b":["\\udbff"]}}', 'meta:a']
] as const) {
  t.test(`a lone surrogate in ${what} is a fault of ${path}`, async (t) => {
    t.strictSame((parsed(text)).faults, [{ code: 'lone-surrogate', path }])
  })
}

t.test('every field with a lone surrogate is named', async (t) => {
  t.strictSame((parsed('{"externalId":"P","name":"\\ud800","tags":["a","\\ud800"],"description":"fine"}')).faults.map(({ path }) => path), ['name', 'tags'])
})

t.test('a pair of surrogates is a character', async (t) => {
  t.strictSame((parsed('{"externalId":"P","name":"\\ud83d\\ude00"}')).faults, [])
})

t.test('null beside a lone surrogate does not hide it', async (t) => {
  t.strictSame((parsed('{"externalId":"P","tags":[null,"\\ud800",null]}')).faults.map(({ path }) => path), ['tags'])
  t.strictSame((parsed('{"externalId":"P","tags":["\\ud800",null,null]}')).faults.map(({ path }) => path), ['tags'])
})

const deep = (depth: number): string => `${'['.repeat(depth)}1${']'.repeat(depth)}`

t.test('a value nested 100 levels deep is taken, one more is a fault of its field', async (t) => {
  t.strictSame(parsed(`{"externalId":"P","unknown":${deep(100)}}`).faults, [])
  t.strictSame(parsed(`{"externalId":"P","unknown":${deep(101)}}`).faults, [{ code: 'too-deep', path: 'unknown', detail: 100 }])
  t.strictSame(parsed(`{"externalId":"P","unknown":${'{"a":'.repeat(101)}1${'}'.repeat(101)}}`).faults.map(wordFault), ['unknown is nested deeper than 100 levels'])
  t.strictSame((await adopted({ externalId: 'P', unknown: JSON.parse(deep(100)) as unknown })).faults, [])
  t.strictSame((await adopted({ externalId: 'P', unknown: JSON.parse(deep(101)) as unknown })).faults, [{ code: 'too-deep', path: 'unknown', detail: 100 }])
})

t.test('brackets within text are no nesting', async (t) => {
  t.strictSame(parsed(`{"externalId":"P","name":"${'['.repeat(300)}\\"${'{'.repeat(300)}"}`).faults, [])
})

t.test('lists beside each other are no nesting', async (t) => {
  t.strictSame(parsed(`{"externalId":"P","unknown":[${'[[]],'.repeat(200)}{}]}`).faults, [])
})

t.test('of a line that is too deep the external id and what else is wrong are told', async (t) => {
  const { externalId, faults, value } = parsed(`{"unknown":${deep(100_000)},"externalId":"P","name":"\\ud800"}`)
  t.equal(externalId, 'P')
  t.strictSame(faults.map(({ code, path }) => `${code} ${path}`), ['too-deep unknown', 'lone-surrogate name'])
  t.ok(JSON.stringify(value).length < 1_000, 'what is too deep is not kept')
})

t.test('a line of brackets that never close is told to be too deep', async (t) => {
  t.strictSame(parsed('['.repeat(100_000)).faults.map(wordFault), ['Line is nested deeper than 100 levels'])
})

t.test('a lone surrogate beside it does not hide that a value is too deep', async (t) => {
  t.strictSame((await adopted({ externalId: 'P', unknown: ['\uD800', JSON.parse(deep(100_000))] })).faults.map(({ code }) => code), ['too-deep'])
})

t.test('a line of 250,000 values is read, one of more is refused before it is parsed', async (t) => {
  const line = (values: number): string => `{"externalId":"P","unknown":[${'0,'.repeat(values - 4)}0]}`
  t.strictSame(parsed(line(maxJsonValues)).faults, [])
  t.match(parsed(line(maxJsonValues + 1)), { value: null, faults: [{ code: 'too-many-values', path: '', detail: maxJsonValues }] })
  t.strictSame(parsed(line(4_000_000)).faults.map(wordFault), ['Line holds more than 250000 JSON values'])
})

t.test('the text goes along, so that the line can be known again', async (t) => {
  t.equal((parsed('{"externalId":"P" }')).text, '{"externalId":"P" }')
})

t.test('a value that comes as such is taken as it is', async (t) => {
  t.match(await adopted({ externalId: 'P', name: 'x' }), { externalId: 'P', value: { name: 'x' }, faults: [] })
})

for (const value of [5, 'P', [], [{ externalId: 'P' }], true]) {
  t.test(`the value ${JSON.stringify(value)} is no product`, async (t) => {
    t.strictSame((await adopted(value)).faults.map(wordFault), ['A product must be a JSON object'])
  })
}

t.test('a lone surrogate of a value is found without an escape to tell of it', async (t) => {
  t.strictSame((await adopted({ externalId: 'P', name: '\uD800', tags: ['\uDC00'] })).faults.map(({ path }) => path), ['name', 'tags'])
})

t.test('a value nested 100,000 levels deep does not end the job, and its product is known', async (t) => {
  t.match(await adopted({ externalId: 'P', unknown: JSON.parse(deep(100_000)) as unknown }), { externalId: 'P', value: null, rejected: true })
})

t.test('a line that cannot be read says no external id, but whose it is as far as that can be told', async (t) => {
  const values = '0,'.repeat(250_001)
  for (const text of ['{"externalId":"P1","name":"x"', `{"externalId":"P1","tags":[${values}0]}`, markLine('line-too-long', 'P1'), markLine('invalid-utf8', 'P1')]) {
    t.match(parsed(text), { externalId: null, salvagedId: 'P1' }, text.slice(0, 40))
  }
  t.match(parsed('{"name":x,"externalId":"P1"}'), { externalId: null, salvagedId: null })
  t.match(parsed('{"externalId":"P1"}'), { externalId: 'P1', salvagedId: null })
})
