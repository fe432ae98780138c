import { join } from 'node:path'
import type { Logger } from 'pino'
import t, { type Test } from 'tap'
import type { GuardedChild } from '../../../src/embedded/guarded-child.js'
import { freePort } from '../../../src/embedded/local-ports.js'
import { startMongodbProcess, type MongodbProcessOptions } from '../../../src/embedded/mongodb-process.js'
import { testFolder } from '../../support/test-folder.js'
import { recordingLog, silent } from '../../support/log.js'

/** Starts a server that is this Node program. */
async function start (t: Test, script: string, options: Pick<MongodbProcessOptions, 'timeouts'> & { log?: Logger } = {}): Promise<GuardedChild> {
  const folder = testFolder(t)
  const port = await freePort()
  return await startMongodbProcess({
    program: { kind: 'secantusd-rs', command: process.execPath, args: ['-e', `const port = ${port}; ${script}`, '--'] },
    port,
    dataPath: folder,
    emptyConfigPath: join(folder, 'empty.toml'),
    logPath: join(folder, 'log'),
    env: process.env,
    log: silent,
    ...options
  }, async () => {})
}

t.test('a server that recovers for longer than it may take to answer is waited for, and asked then', async (t) => {
  const script = "setTimeout(() => require('net').createServer((socket) => socket.once('data', () => { console.log('asked'); process.exit(3) })).listen(port, '127.0.0.1'), 1000)"
  await t.rejects(start(t, script, { timeouts: { answerMs: 500 } }), { name: 'AppError', message: /ended with exit code 3 .*\nasked/s })
})

t.test('a server that never listens is given up', async (t) => {
  await t.rejects(start(t, 'setInterval(() => {}, 1000)', { timeouts: { listenMs: 200 } }),
    { name: 'AppError', message: /did not become ready/, cause: { message: /^The server did not listen within 200 ms$/ } })
})

t.test('that there is something to wait for is told, once', async (t) => {
  const { log, entries } = recordingLog()
  await t.rejects(start(t, 'setInterval(() => {}, 1000)', { log, timeouts: { listenMs: 300, tellMs: 50 } }), { name: 'AppError' })
  t.match(entries, [{ msg: /does not listen yet/ }])
  t.equal(entries.length, 1)
})

t.test('a server that ends is not waited for', async (t) => {
  await t.rejects(start(t, 'process.exit(4)'), { name: 'AppError', cause: { message: /^The server ended before it listened$/ } })
})
