import { join } from 'node:path'
import pino from 'pino'
import t, { type Test } from 'tap'
import { AppError } from '../../../src/errors.js'
import { freePort, startMongodbProcess, type MongodbProcessOptions } from '../../../src/embedded/mongodb-process.js'
import { silent } from '../../support/import-workers.js'
import { testFolder } from '../../support/test-folder.js'

/** Of starting a server that is this Node program. */
async function failureOf (t: Test, script: string, options: Pick<MongodbProcessOptions, 'timeouts'> & { log?: pino.Logger }): Promise<AppError> {
  const folder = testFolder(t, {})
  const port = await freePort()
  const starting = startMongodbProcess({
    program: { kind: 'secantusd-rs', command: process.execPath, args: ['-e', `const port = ${port}; ${script}`, '--'] },
    port,
    dataPath: folder,
    emptyConfigPath: join(folder, 'empty.toml'),
    logPath: join(folder, 'log'),
    env: process.env,
    log: silent,
    ...options
  }, async () => {})
  return await starting.then(() => { throw new Error('it has started') }, (error: unknown) => {
    if (error instanceof AppError) return error
    throw error
  })
}
const causeOf = ({ cause }: AppError): string => cause instanceof Error ? cause.message : ''

t.test('a server that recovers for longer than it may take to answer is waited for, and asked then', async (t) => {
  const script = "setTimeout(() => require('net').createServer((socket) => socket.once('data', () => { console.log('asked'); process.exit(3) })).listen(port, '127.0.0.1'), 1000)"
  const error = await failureOf(t, script, { timeouts: { answerMs: 500 } })
  t.match(error.message, /ended with exit code 3 .*\nasked/s)
})

t.test('a server that never listens is given up', async (t) => {
  const error = await failureOf(t, 'setInterval(() => {}, 1000)', { timeouts: { listenMs: 200 } })
  t.match(error.message, /did not become ready/)
  t.equal(causeOf(error), 'The server did not listen within 200 ms')
})

t.test('that there is something to wait for is told, once', async (t) => {
  const lines: string[] = []
  const log = pino({}, { write: (line) => { lines.push(line) } })
  await failureOf(t, 'setInterval(() => {}, 1000)', { log, timeouts: { listenMs: 300, tellMs: 50 } })
  t.equal(lines.length, 1)
  t.match(lines[0], /does not listen yet/)
})

t.test('a server that ends is not waited for', async (t) => {
  t.equal(causeOf(await failureOf(t, 'process.exit(4)', {})), 'The server ended before it listened')
})
