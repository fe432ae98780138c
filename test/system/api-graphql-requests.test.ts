/** What a GraphQL request must look like, and how refusals read: HTTP 200 once the document is valid, 400 otherwise. */
import { getIntrospectionQuery } from 'graphql'
import t from 'tap'
import { answerOf, testApi } from '../unit/api/test-api.js'
import { recordingLog } from '../support/log.js'

const { log, entries } = recordingLog()
const failure = new Error('connect to db-7.internal failed')
const api = await testApi(t, {
  dependencies: { log },
  repositories: (real) => ({ ...real, products: { ...real.products, findByExternalId: async () => { throw failure } } })
})
const key = await api.keyOf('shop')

const post = async (payload: string | Buffer, contentType = 'application/json') => answerOf(await api.app.inject({
  method: 'POST', url: '/graphql', payload, headers: { 'content-type': contentType, 'x-vendor-api-key': key }
}))

const refused: Array<[what: string, body: string, contentType?: string]> = [
  ['malformed JSON', '{"query": '],
  ['an array: batches are off', '[{"query": "{ __typename }"}]'],
  ['no query', '{}'],
  ['a query that is not text', '{"query": 1}'],
  ['a blank query', '{"query": " "}'],
  ['variables that are no object', '{"query": "{ __typename }", "variables": "x"}'],
  ['an operation name that is no text', '{"query": "{ __typename }", "operationName": 1}'],
  ['a wrong content type', '{"query": "{ __typename }"}', 'text/plain'],
  ['a form', 'query=x', 'application/x-www-form-urlencoded'],
  ['__proto__ in the body', '{"query": "{ __typename }", "variables": {"__proto__": {"polluted": true}}}'],
  ['constructor.prototype in the body', '{"query": "{ __typename }", "variables": {"constructor": {"prototype": {}}}}'],
  ['a syntax error', JSON.stringify({ query: '{ product( }' })],
  ['an unknown field', JSON.stringify({ query: '{ nothing }' })],
  ['an unknown operation', JSON.stringify({ query: 'query a { __typename }', operationName: 'b' })],
  ['a missing variable', JSON.stringify({ query: 'query ($id: ID!) { productImportJob(jobId: $id) { status } }' })],
  ['a variable of a wrong type', JSON.stringify({ query: 'query ($n: Int) { products(first: $n) { totalCount } }', variables: { n: 'x' } })],
  ['a syntax tree in place of text', JSON.stringify({ query: '{"kind":"Document","definitions":[]}' })],
  ['JSON in place of text', JSON.stringify({ query: 'null' })]
]

for (const [what, body, contentType] of refused) {
  t.test(`400: ${what}`, async (t) => {
    const { status, data, errors } = await post(body, contentType)
    t.equal(status, 400)
    t.equal(data, null)
    t.ok(errors !== undefined && errors.length > 0)
    t.ok(errors?.every(({ message, extensions }) => message !== '' && extensions.code === 'BAD_USER_INPUT'))
    t.equal(({} as { polluted?: boolean }).polluted, undefined)
  })
}

t.test('each validation failure is told by itself', async (t) => {
  const { errors } = await api.graphql(key, '{ one two }')
  t.match(errors, [{ message: /"one"/, locations: [{ line: 1 }] }, { message: /"two"/ }])
})

const tooMuch: Array<[what: string, query: string]> = [
  ['root fields', `{ ${Array.from({ length: 51 }, (_, n) => `a${n}: __typename`).join(' ')} }`],
  ['root fields in a fragment', `{ ...f ...g } fragment f on Query { ${Array.from({ length: 30 }, (_, n) => `a${n}: __typename`).join(' ')} }
    fragment g on Query { ${Array.from({ length: 30 }, (_, n) => `b${n}: __typename`).join(' ')} }`],
  ['fields', `{ product(externalId: "a") { ${Array.from({ length: 1_001 }, (_, n) => `a${n}: name`).join(' ')} } }`],
  ['depth', `{ __schema { types { ${'ofType { '.repeat(15)} name ${'} '.repeat(15)} } } }`],
  ['depth for a validator that recurses', `${'{ a '.repeat(1_300)}${'}'.repeat(1_300)}`],
  ['tokens', `{ __typename ${'@skip(if: false) '.repeat(900)} }`],
  ['text', `{ __typename } #${'x'.repeat(64 * 1_024)}`]
]

for (const [what, query] of tooMuch) {
  t.test(`400: too much ${what}`, async (t) => {
    const { status, errors } = await api.graphql(key, query)
    t.equal(status, 400)
    t.match(errors, [{ message: String, extensions: { code: 'BAD_USER_INPUT' } }])
  })
}

t.test('fragments within fragments cost no more than the limit', async (t) => {
  const chain = Array.from({ length: 40 }, (_, n) => `fragment f${n} on Product { v${n}: variants { id } ...f${n + 1} ...f${n + 1} }`).join(' ')
  const { status } = await api.graphql(key, `{ product(externalId: "a") { ...f0 } } ${chain} fragment f40 on Product { id }`)
  t.equal(status, 400)
})

t.test('the introspection query of tools is answered', async (t) => {
  const { status, data } = await api.graphql(null, getIntrospectionQuery())
  t.equal(status, 200)
  t.equal(data.__schema.mutationType.name, 'Mutation')
})

t.test('operations are not taken from the URL', async (t) => {
  const response = await api.app.inject({ url: '/graphql?query={__typename}', headers: { 'x-vendor-api-key': key } })
  t.equal(response.statusCode, 400)
  t.match(response.json(), { data: null, errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] })
})

t.test('a body over 16 MiB is refused', async (t) => {
  const { status, errors } = await post(JSON.stringify({ query: '{ __typename }', variables: { x: 'x'.repeat(16 * 1_024 * 1_024) } }))
  t.equal(status, 400)
  t.match(errors, [{ extensions: { code: 'BAD_USER_INPUT' } }])
})

t.test('a large body is not read from a stranger', async (t) => {
  const { status, errors } = await api.graphql(null, '{ __typename }', { x: 'x'.repeat(1_024 * 1_024) })
  t.equal(status, 401)
  t.match(errors, [{ extensions: { code: 'UNAUTHENTICATED' } }])
})

t.test('the chosen one of several operations is executed, every time', async (t) => {
  const query = 'query a { a: __typename } query b { b: __typename }'
  for (const operationName of ['a', 'b', 'a', 'b']) {
    const { data } = await post(JSON.stringify({ query, operationName }))
    t.strictSame(data, { [operationName]: 'Query' })
  }
})

t.test('an unexpected error is masked, and logged once with the id of the request', async (t) => {
  entries.length = 0
  const response = await api.app.inject({
    method: 'POST',
    url: '/graphql',
    headers: { 'x-vendor-api-key': key, 'request-id': 'trace-1' },
    payload: { query: '{ product(externalId: "x") { name } productImportJobs { totalCount } }' }
  })
  t.equal(response.statusCode, 200)
  t.match(response.json<unknown>(), { data: { product: null, productImportJobs: { totalCount: 0 } }, errors: [{ message: 'Internal server error', path: ['product'] }] })
  t.notMatch(response.body, /internal failed/)
  const logged = entries.filter(({ level }) => level === 50)
  t.match(logged, [{ reqId: 'trace-1', vendorId: 'shop', err: { message: failure.message } }])
  t.equal(logged.length, 1)
})
