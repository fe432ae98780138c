import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import t from 'tap'
import { serviceUser } from '../../../src/domain/access.js'
import { asVendor, eventually, incomingOf, openSftp, startServer, unfinished } from './harness.js'

const limits = { keyCheckIntervalMs: 20 }

t.test('removing a key ends the connections that it has open, and no others', async (t) => {
  const running = await startServer(t, { limits })
  const acme = await asVendor(t, running)
  const other = await asVendor(t, running, 'other')
  const closed = once(acme.client, 'close')
  running.registered.delete('acme')
  await closed
  t.equal(await other.realpath('.'), '/')
  t.match(running.logged.find(({ msg }) => msg === 'SFTP connection ended'), { vendorId: 'acme', reason: 'its key was removed' })
})

t.test('an upload under way when its key is removed is discarded', async (t) => {
  const running = await startServer(t, { limits })
  const { client, open, write } = await asVendor(t, running)
  await write(await open('incoming/a.jsonl', 'w'), 'half a fi')
  const closed = once(client, 'close')
  running.registered.delete('acme')
  await closed
  await eventually(async () => (await unfinished(running)).length === 0)
  t.strictSame(await readdir(await incomingOf(running)), [])
})

t.test('a key that is another vendor\'s now ends the connections of the vendor it was of', async (t) => {
  const running = await startServer(t, { limits })
  const { client } = await asVendor(t, running)
  const closed = once(client, 'close')
  running.registered.set('other', running.registered.get('acme') ?? '')
  running.registered.delete('acme')
  await closed
})

t.test('a look-up that fails ends no connection, and the next one is heeded', async (t) => {
  let failures = 0
  let isAway = true
  const running = await startServer(t, {
    limits,
    findKeyOwners: async () => {
      if (!isAway) return new Map()
      failures++
      throw new Error('database away')
    }
  })
  const { client, realpath } = await asVendor(t, running)
  const closed = once(client, 'close')
  await eventually(() => failures >= 3)
  t.equal(await realpath('.'), '/')
  isAway = false
  await closed
})

t.test('the service\'s own connections are not looked up', async (t) => {
  const asked: string[] = []
  let areAllRemoved = false
  const running = await startServer(t, {
    limits,
    findKeyOwners: async (fingerprints) => {
      asked.push(...fingerprints)
      return new Map(areAllRemoved ? [] : fingerprints.map((fingerprint) => [fingerprint, 'acme']))
    }
  })
  const service = await openSftp(t, { port: running.port, username: serviceUser, privateKey: await readFile(running.serviceKeyFile) })
  const { client } = await asVendor(t, running)
  const closed = once(client, 'close')
  areAllRemoved = true
  await closed
  t.equal(await service.realpath('.'), '/')
  t.strictSame([...new Set(asked)], [running.registered.get('acme')])
})
