/**
 * A record of another vendor reads as not existing (decisions.md, Access), for every operation that takes an id: null, or NOT_FOUND
 * on a mutation; and nothing of that vendor changes. The operations are made from the schema, the victims stand in every collection.
 */
import type { Collection, Document } from 'mongodb'
import t from 'tap'
import { permissions } from '../../src/domain/access.js'
import { hashKey } from '../../src/domain/api-key.js'
import { operationsOf, requestOf, schema } from '../support/operations.js'
import { testApi } from '../unit/api/test-api.js'

const api = await testApi(t)
const jobId = await api.startJob('shop')
const key = await api.repositories.integrationApiKeys.findByHash(hashKey(await api.keyOf('shop', [...permissions])))
const foreignKey = { 'x-vendor-api-key': await api.keyOf('other', [...permissions]) }
const foreignOwner = { authorization: `Bearer ${await api.tokenOf('otto', [{ vendorId: 'other', role: 'owner', permissions: [] }])}` }
const { userApiKeys } = api.repositories
const { record: ownKey } = await userApiKeys.create('olga', 'hers', null)

/** One of the vendor in every collection: whoever looks it up by its id alone finds it. */
const planted = '00000000-0000-4000-8000-000000000000'
const collections = Object.values(api.database.collections) as unknown as Array<Collection<Document & { _id: string }>>
for (const collection of collections) {
  await collection.insertOne({ _id: planted, vendorId: 'shop', hash: planted, storeCode: planted, externalId: planted, slug: planted, name: planted })
}

/** They take a conversation's id as the name under which the caller's own vendor remembers something: nobody's record is looked up by it. */
const remembering = new Set(['resolveFitment', 'searchProducts'])

/** Everything but what is the caller's own. */
async function snapshot (): Promise<string> {
  const all = await Promise.all(collections.map(async (collection) => await collection.find({ vendorId: 'shop' }).sort({ _id: 1 }).toArray()))
  return JSON.stringify([all, await userApiKeys.list('olga')])
}

for (const [what, id] of [['a job', jobId], ['an integration key', key?._id ?? ''], ['a user\'s key', ownKey._id], ['anything', planted]] as const) {
  t.test(`the id of ${what} of another vendor is as good as none`, async (t) => {
    const { Query, Mutation } = operationsOf(await schema(), { vendorId: 'other', id })
    const before = await snapshot()
    for (const headers of [foreignKey, foreignOwner]) {
      for (const operation of [...Query, ...Mutation].filter(({ takesId, field }) => takesId && !remembering.has(field))) {
        const { data, errors } = (await api.app.inject(requestOf(operation, headers))).json<{ data: Record<string, unknown> | null, errors?: Array<{ extensions: { code: string } }> }>()
        const answer = data?.[operation.field] ?? null
        const codes = errors?.map(({ extensions }) => extensions.code) ?? []
        t.ok(answer === null || isEmpty(answer), `${operation.name}: ${JSON.stringify({ answer, codes })}`)
        // FORBIDDEN: the operation itself is not for this kind of caller, whatever the id.
        const allowed = operation.type === 'Query' ? [[], ['NOT_FOUND'], ['FORBIDDEN']] : [['NOT_FOUND'], ['BAD_USER_INPUT'], ['FORBIDDEN']]
        t.ok(allowed.some((expected) => expected.join() === codes.join()), `${operation.name}: ${codes.join()}`)
      }
    }
    t.equal(await snapshot(), before, 'nothing has changed')
  })
}

t.test('so it is over REST', async (t) => {
  for (const path of ['', '/errors']) {
    t.equal((await api.app.inject({ url: `/api/v1/products/import/${jobId}${path}`, headers: foreignKey })).statusCode, 404)
  }
})

const isEmpty = (answer: unknown): boolean => Array.isArray(answer) && answer.length === 0
