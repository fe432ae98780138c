import { getIntrospectionQuery, parse } from 'graphql'
import t from 'tap'
import { checkDocument, checkDocumentText, checkForeignDocument } from '../../../../src/api/graphql/document-limits.js'

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

t.test('a tree made by the client is refused, also one with a made-up place in a text', (t) => {
  const tree = JSON.parse(JSON.stringify(parse('{ a }', { noLocation: true }))) as ReturnType<typeof parse>
  t.throws(() => { checkForeignDocument(tree) }, refused)
  t.throws(() => { checkForeignDocument({ ...tree, loc: { source: { body: '' } } } as unknown as typeof tree) }, refused)
  t.doesNotThrow(() => { checkForeignDocument(parse('subscription { a }')) })
  t.throws(() => { checkForeignDocument(parse(`{ a ${'@b '.repeat(2_000)} }`)) }, refused)
  t.end()
})
