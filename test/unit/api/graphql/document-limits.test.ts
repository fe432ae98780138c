import { parse } from 'graphql'
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
