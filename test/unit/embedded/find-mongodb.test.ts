import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { EmbeddedMongo } from '../../../src/config.js'
import { findMongodb, serverEnvironment, serverFlags, type MongodbKind } from '../../../src/embedded/find-mongodb.js'
import { stubProgram } from './stub-program.js'
import { testFolder } from '../../support/test-folder.js'

/** A PATH with only these programs on it, and an empty cache folder. */
async function envWith (t: Test, ...programs: string[]): Promise<NodeJS.ProcessEnv> {
  const folder = testFolder(t, {})
  for (const program of programs) await stubProgram(join(folder, 'bin', program))
  return { PATH: join(folder, 'bin'), XDG_CACHE_HOME: join(folder, 'cache') }
}

const find = async (env: NodeJS.ProcessEnv, wanted: EmbeddedMongo = 'auto', writtenBy?: MongodbKind): Promise<string> =>
  (await findMongodb({ wanted, writtenBy, env })).kind

t.test('auto prefers mongod to secantusd-rs', async (t) => {
  t.equal(await find(await envWith(t, 'secantusd-rs', 'mongod')), 'mongod')
})

t.test('auto takes secantusd-rs where there is no mongod', async (t) => {
  const env = await envWith(t, 'secantusd-rs')
  t.match(await findMongodb({ wanted: 'auto', writtenBy: undefined, env }), { kind: 'secantusd-rs', command: join(env['PATH'] ?? '', 'secantusd-rs') })
})

t.test('what is asked for wins over what auto would take', async (t) => {
  t.equal(await find(await envWith(t, 'secantusd-rs', 'mongod'), 'secantusd-rs'), 'secantusd-rs')
})

t.test('a file that may not be executed is passed over', async (t) => {
  const env = await envWith(t, 'mongod', 'secantusd-rs')
  await chmod(join(env['PATH'] ?? '', 'mongod'), 0o644)
  t.equal(await find(env), 'secantusd-rs')
})

t.test('a folder of that name is passed over', async (t) => {
  const folder = testFolder(t, { first: { mongod: {} } })
  await stubProgram(join(folder, 'second', 'mongod'))
  const { command } = await findMongodb({ wanted: 'auto', writtenBy: undefined, env: { PATH: `${folder}/first:${folder}/second` } })
  t.equal(command, `${folder}/second/mongod`)
})

t.test('relative entries and empty ones of the PATH are not searched', async (t) => {
  const env = await envWith(t, 'mongod')
  const relative = join('.', (env['PATH'] ?? '').slice(process.cwd().length + 1))
  await t.rejects(find({ ...env, PATH: `:${relative}:` }, 'mongod'), { name: 'AppError', message: /not on the PATH/ })
})

for (const kind of ['mongod', 'secantusd-rs'] as const) {
  t.test(`asking for a ${kind} that is not there is refused with the way out`, async (t) => {
    await t.rejects(find(await envWith(t), kind),
      { kind: 'fatal', message: `EMBEDDED_MONGO is ${kind}, which is not on the PATH: put it there, or set EMBEDDED_MONGO=auto or MONGODB_URL` })
  })
}

t.test('a folder stays with the server that has written it, whatever auto would take for a new one', async (t) => {
  t.equal(await find(await envWith(t, 'secantusd-rs', 'mongod'), 'auto', 'secantusd-rs'), 'secantusd-rs')
})

t.test('a folder is not opened with another server than the one that has written it', async (t) => {
  await t.rejects(find(await envWith(t, 'mongod'), 'mongod', 'secantusdb'), { kind: 'fatal', message: /EMBEDDED_MONGO=secantusdb/ })
})

t.test('when the server that has written the folder is gone, no other takes over', async (t) => {
  await t.rejects(find(await envWith(t, 'secantusd-rs'), 'auto', 'mongod'), { kind: 'fatal', message: /written by mongod, which is not on the PATH/ })
})

for (const kind of ['mongod', 'secantusd-rs', 'secantusdb'] as const) {
  t.test(`${kind} listens on loopback only, at the port it is given`, async (t) => {
    const flags = serverFlags(kind, { port: 4711, dataPath: '/data', emptyConfigPath: '/empty.toml' }).join(' ')
    t.match(flags, /--(host|bind_ip) 127\.0\.0\.1/)
    t.match(flags, '--port 4711')
  })
}

t.test('the servers that would lose acknowledged writes are made to sync each commit', async (t) => {
  const syncs = (kind: MongodbKind): boolean =>
    serverFlags(kind, { port: 4711, dataPath: '/data', emptyConfigPath: '/empty.toml' }).includes('--sync-on-commit')
  t.strictSame((['mongod', 'secantusd-rs', 'secantusdb'] as const).filter(syncs), ['secantusd-rs', 'secantusdb'])
})

for (const kind of ['mongod', 'secantusd-rs', 'secantusdb'] as const) {
  t.test(`${kind} is told neither the service's secrets nor settings meant for other servers`, async (t) => {
    const env = serverEnvironment(kind, { PATH: '/bin', AUTH_JWT_SECRET: 's3cret', MONGODB_URL: 'mongodb://user:s3cret@db', SECANTUS_DATA_NONLOGGED: '1' })
    t.equal(env['PATH'], '/bin')
    t.notMatch(JSON.stringify(env), /s3cret|NONLOGGED/)
  })
}

t.test('an operation log that nobody reads is not kept', async (t) => {
  t.equal(serverEnvironment('secantusd-rs', {})['SECANTUS_DISABLE_OPLOG'], '1')
})

t.test('secantusd-rs lets changed pages wait for a checkpoint, whatever the environment says', async (t) => {
  t.match(serverEnvironment('secantusd-rs', { WIREDTIGER_CONFIG: 'log=(enabled=false)' })['WIREDTIGER_CONFIG'], /^eviction_dirty_target=\d+,[a-z_=\d,]+$/)
  t.notOk('WIREDTIGER_CONFIG' in serverEnvironment('mongod', { WIREDTIGER_CONFIG: 'log=(enabled=false)' }))
})
