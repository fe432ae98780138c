import { buildSchema, parse } from 'graphql'
import t from 'tap'
import { checkCost } from '../../../../../src/api/graphql/limits/document-cost.js'

const schema = buildSchema(`
  input Search { first: Int = 20 }
  type Item { id: ID!  parts: [Item!]!  page(first: Int = 50): Page!  log(first: Int = 1000): [Item!]! }
  type Page { nodes: [Item!]!  edges: [Edge!]! }
  type Edge { node: Item! }
  type Query { items(first: Int): Page!  search(input: Search!): Page!  one: Item }
`)
const check = (text: string, variables?: Record<string, unknown>) => () => { checkCost(schema, parse(text), variables) }
const refused = { code: 'BAD_USER_INPUT' }
const fields = (count: number): string => Array.from({ length: count }, (_, n) => `f${n}: id`).join(' ')

t.test('a page counts its fields as often as it was asked to be long', (t) => {
  t.doesNotThrow(check(`{ items(first: 1000) { nodes { ${fields(400)} } } }`))
  t.throws(check(`{ items(first: 1000) { nodes { ${fields(600)} } } }`), refused)
  t.throws(check(`{ items(first: 1000) { edges { node { ${fields(600)} } } } }`), refused)
  t.end()
})

t.test('a variable, its default, the argument\'s default and a field of the input say so as well', (t) => {
  const text = (ask: string, head = ''): string => `query ${head} { ${ask} { nodes { ${fields(600)} } } }`
  t.throws(check(text('items(first: $n)', '($n: Int)'), { n: 1_000 }), refused)
  t.throws(check(text('items(first: $n)', '($n: Int = 1000)')), refused)
  t.doesNotThrow(check(text('items(first: $n)', '($n: Int = 1000)'), { n: 1 }))
  t.throws(check(text('search(input: { first: 1000 })')), refused)
  t.throws(check(text('search(input: $s)', '($s: Search!)'), { s: { first: 1_000 } }), refused)
  t.doesNotThrow(check(text('search(input: {})')))
  t.throws(check(`{ one { log { ${fields(600)} } } }`), refused)
  t.end()
})

t.test('a document that is kept is looked at anew with each request\'s variables, wherever they stand', (t) => {
  for (const [ask, head] of [['items(first: $n)', '($n: Int)'], ['search(input: { first: $n })', '($n: Int)'], ['search(input: $n)', '($n: Search!)']] as const) {
    const document = parse(`query ${head} { ${ask} { nodes { ${fields(600)} } } }`)
    const given = (first: number): Record<string, unknown> => ({ n: ask.endsWith('$n)') && ask.startsWith('search') ? { first } : first })
    t.doesNotThrow(() => { checkCost(schema, document, given(1)) }, ask)
    t.throws(() => { checkCost(schema, document, given(1_000)) }, refused, ask)
    t.doesNotThrow(() => { checkCost(schema, document, given(1)) }, ask)
  }
  const costly = parse(`{ items(first: 1000) { nodes { ${fields(600)} } } }`)
  for (let time = 0; time < 2; time++) t.throws(() => { checkCost(schema, costly) }, refused)
  t.end()
})

t.test('lists within lists multiply, through fragments as well', (t) => {
  t.throws(check('{ items(first: 200) { nodes { parts { parts { parts { ...f } } } } } } fragment f on Item { id a: id b: id c: id }'), refused)
  t.throws(check('{ items(first: 100) { nodes { page { nodes { page { nodes { page { nodes { id } } } } } } } } }'), refused)
  t.end()
})

t.test('values that are no counts neither help nor hurt', (t) => {
  for (const n of [-1, 'x', null, {}, Number.NaN]) t.doesNotThrow(check('query ($n: Int) { items(first: $n) { nodes { id } } }', { n }))
  t.end()
})
