import { getIntrospectionQuery, parse } from 'graphql'
import t from 'tap'
import { checkDocument, checkDocumentText, parseWithinLimits } from '../../../../../src/api/graphql/limits/document-limits.js'

const refused = { code: 'BAD_USER_INPUT' }

t.test('what only JSON begins like is refused', (t) => {
  for (const text of ['{"kind":"Document"}', ' {\n"a":1}', '{}', '[]', '"a"', '1', '-1', 'true', ' null ', 'false\n']) {
    t.throws(() => { checkDocumentText(text) }, refused, text)
  }
  t.end()
})

t.test('what a document begins like is let through', (t) => {
  for (const text of ['{ a }', '{a}', '# "x"\n{ a }', 'query { a }', 'nullable', '{ ...f }', ',{ a }', '\ufeff{ a }']) {
    t.doesNotThrow(() => { checkDocumentText(text) }, text)
  }
  t.end()
})

t.test('fragments that spread each other come to an end', (t) => {
  t.doesNotThrow(() => { checkDocument(parse('{ a }')) })
  t.throws(() => { checkDocument(parse('{ ...f } fragment f on Query { ...g ...g } fragment g on Query { ...f ...f }')) }, refused)
  t.throws(() => { checkDocument(parse('{ ...f } fragment f on Query { a { ...f } }')) }, refused)
  t.end()
})

t.test('what validation would compare each with each is bounded, by field, alias, fragment and what is below them', (t) => {
  const times = (count: number, make: (n: number) => string): string => Array.from({ length: count }, (_, n) => make(n)).join(' ')
  const hostile = {
    arguments: `{ a { ${times(400, () => 'b(first: 1) { c }')} } }`,
    aliases: `{ a { ${times(400, (n) => `b: c${n}(first: 1)`)} } }`,
    below: `{ ${times(40, () => `a { ${times(20, () => 'b(first: 1)')} }`)} }`,
    'fragments of one field': `{ a { ${times(300, (n) => `...F${n}`)} } } ${times(300, (n) => `fragment F${n} on A { b }`)}`,
    'fragments of others': `{ a { ${times(300, (n) => `...F${n}`)} } } ${times(300, (n) => `fragment F${n} on A { b${n}: b }`)}`,
    'fragments in fragments': `{ a { ...F0 } } ${times(250, (n) => `fragment F${n} on A { b ...F${n + 1} }`)} fragment F250 on A { b }`,
    'inline fragments': `{ a { ${times(400, () => '... { b(first: 1) }')} } }`
  }
  for (const [what, text] of Object.entries(hostile)) t.throws(() => { checkDocument(parse(text)) }, refused, what)
  t.end()
})

t.test('that holds for all operations together, and for fragments that none of them spreads', (t) => {
  const aliases = Array.from({ length: 60 }, (_, n) => `b: c${n}`).join(' ')
  t.throws(() => { checkDocument(parse(Array.from({ length: 4 }, (_, n) => `query Q${n} { a { ${aliases} } }`).join(' '))) }, refused)
  t.doesNotThrow(() => { checkDocument(parse('{ ...F } fragment F on A { a { ...G } } fragment G on A { b }')) })
  t.throws(() => { checkDocument(parse('{ a } fragment F on A { b ...G } fragment G on A { c ...F }')) }, { ...refused, message: 'Fragment "F" is never used.' })
  t.end()
})

t.test('what tools and front ends send is let through', (t) => {
  const times = (count: number, make: (n: number) => string): string => Array.from({ length: count }, (_, n) => make(n)).join(' ')
  t.doesNotThrow(() => { checkDocument(parse(`{ a { nodes { ${times(60, (n) => `...F${n}`)} } } } ${times(60, (n) => `fragment F${n} on A { id b${n} }`)}`)) }, 'a fragment for each component')
  t.doesNotThrow(() => { checkDocument(parse(`{ ${times(50, (n) => `a${n}: a(id: ${n}) { id name }`)} }`)) }, 'the same by other ids')
  t.doesNotThrow(() => { checkDocument(parse(getIntrospectionQuery())) }, 'introspection')
  t.end()
})

t.test('sixteen levels are allowed, seventeen are not', (t) => {
  const nested = (levels: number): string => `${'{ a '.repeat(levels)}${'}'.repeat(levels)}`
  t.doesNotThrow(() => { checkDocument(parse(nested(16))) })
  t.throws(() => { checkDocument(parse(nested(17))) }, refused)
  t.end()
})

t.test('what is not a text is no document, nor is one with too many tokens', (t) => {
  t.throws(() => { parseWithinLimits(JSON.parse(JSON.stringify(parse('{ a }')))) }, refused)
  t.throws(() => { parseWithinLimits(undefined) }, refused)
  t.doesNotThrow(() => { parseWithinLimits('subscription { a }') })
  t.throws(() => { parseWithinLimits(`{ a ${'@b '.repeat(2_000)} }`) }, { message: /4000 tokens/ })
  t.throws(() => { parseWithinLimits(`{ ${'a '.repeat(1_001)} }`) }, refused)
  t.end()
})
