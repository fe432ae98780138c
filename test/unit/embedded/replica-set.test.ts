import { MongoServerError, type Document } from 'mongodb'
import t from 'tap'
import { becomePrimary } from '../../../src/embedded/replica-set.js'

/** A mongod as far as its replica set goes: it is primary when its configuration names the address it listens at. */
function fakeMongod (configuration?: Document): { command: (command: Document) => Promise<Document>, received: Document[] } {
  const received: Document[] = []
  return {
    received,
    command: async (command) => {
      received.push(command)
      if ('replSetGetConfig' in command) {
        if (configuration === undefined) throw new MongoServerError({ message: 'no replset config has been received', code: 94 })
        return { config: configuration }
      }
      if ('hello' in command) return { isWritablePrimary: configuration?.['members'][0].host === '127.0.0.1:2' }
      configuration = (command['replSetInitiate'] ?? command['replSetReconfig']) as Document
      return { ok: 1 }
    }
  }
}

t.test('a fresh mongod is initiated as a set of one', async (t) => {
  const { command, received } = fakeMongod()
  await becomePrimary(command, '127.0.0.1:2', 1_000)
  t.match(received[1], { replSetInitiate: { _id: 'catalog', members: [{ _id: 0, host: '127.0.0.1:2' }] } })
})

t.test('one that had another port last time is told its new address', async (t) => {
  const { command, received } = fakeMongod({ _id: 'catalog', version: 4, term: 9, members: [{ _id: 0, host: '127.0.0.1:1' }] })
  await becomePrimary(command, '127.0.0.1:2', 1_000)
  t.match(received[1], { replSetReconfig: { _id: 'catalog', version: 5, term: 9, members: [{ _id: 0, host: '127.0.0.1:2' }] }, force: true })
})

t.test('one that knows its address is left as it is', async (t) => {
  const { command, received } = fakeMongod({ version: 4, members: [{ _id: 0, host: '127.0.0.1:2' }] })
  await becomePrimary(command, '127.0.0.1:2', 1_000)
  t.strictSame(received, [{ replSetGetConfig: 1 }, { hello: 1 }])
})

t.test('one that does not become primary in time is an error', async (t) => {
  const { command } = fakeMongod({ version: 4, members: [{ _id: 0, host: '127.0.0.1:2' }] })
  await t.rejects(becomePrimary(async (sent) => 'hello' in sent ? {} : await command(sent), '127.0.0.1:2', 100),
    { code: 'SERVICE_UNAVAILABLE' })
})

t.test('any other answer than "not yet initiated" is passed on', async (t) => {
  const refused = new MongoServerError({ message: 'not authorized', code: 13 })
  await t.rejects(becomePrimary(async () => { throw refused }, '127.0.0.1:2', 100), refused)
})
