import { connect } from 'node:net'
import { once } from 'node:events'
import { MongoClient } from 'mongodb'
import t from 'tap'
import { isRunning } from '../../src/embedded/process-identity.js'
import { dataDirectory, serverOf, startHostProcess } from '../unit/embedded/host-process.js'

t.test('of processes that start at once, one hosts and all use the same servers', async (t) => {
  const dataDir = await dataDirectory(t)
  const processes = await Promise.all([1, 2, 3].map(async () => await startHostProcess(t, dataDir, { mongodb: true, kafka: true })))
  t.strictSame(processes.map(({ role }) => role).sort(), ['attached', 'attached', 'host'])
  t.equal(new Set(processes.map(({ mongodbUrl }) => mongodbUrl)).size, 1)
  t.equal(new Set(processes.map(({ kafkaBrokers }) => kafkaBrokers)).size, 1)

  t.comment('one that was attached leaves: the servers stay')
  await processes.find(({ role }) => role === 'attached')?.close()
  const client = new MongoClient(processes[0]?.mongodbUrl ?? '')
  t.match(await client.db().command({ ping: 1 }).finally(async () => { await client.close() }), { ok: 1 })
  const [host, port] = processes[0]?.kafkaBrokers?.split(':') ?? []
  const socket = connect({ host: host ?? '', port: Number(port) })
  await once(socket, 'connect')
  socket.destroy()

  t.comment('the host leaves: the servers go')
  const server = await serverOf(dataDir)
  t.equal(await processes.find(({ role }) => role === 'host')?.close(), 0)
  t.notOk(isRunning(server))
})

t.test('when the host is killed, exactly one of those that start next takes over', async (t) => {
  const dataDir = await dataDirectory(t)
  const killed = await startHostProcess(t, dataDir)
  await killed.kill()
  const next = await Promise.all([1, 2].map(async () => await startHostProcess(t, dataDir)))
  t.strictSame(next.map(({ role }) => role).sort(), ['attached', 'host'])
  t.equal(new Set(next.map(({ mongodbUrl }) => mongodbUrl)).size, 1)
})
