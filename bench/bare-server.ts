/** What a request costs without us: Mercurius with one resolver that gives a constant, as its documentation sets it up. Tells its URL once it listens. */
import Fastify from 'fastify'
import mercurius, { type IResolvers } from 'mercurius'

if (process.send === undefined) throw new Error('bare-server is run by bench/reads only')
const app = Fastify()
// Mercurius' types know our own schema.
const resolvers = { Query: { constant: () => 'constant' } } as unknown as IResolvers
await app.register(mercurius, { schema: 'type Query { constant: String }', resolvers })
process.send(await app.listen({ host: '127.0.0.1', port: 0 }))
process.on('disconnect', () => { void app.close() })
