/**
 * What a converter that was taken over can reach. Which isolation there is depends on the machine; each is held to what it says. (One
 * that is not the strictest is told of, with the reason, so that nobody takes these tests for more than they are.)
 */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pLimit from 'p-limit'
import t, { type Test } from 'tap'
import { PdfRefused } from '../../../src/domain/conversion-failure.js'
import { createPdfConverter } from '../../../src/pdf/convert-pdf.js'
import { converterProgram, findConverterIsolation, isolatedCommand, type ConverterIsolation } from '../../../src/pdf/converter-isolation.js'
import { corpusPdf, expectations, tablesIn } from '../../support/size-chart-corpus.js'
import { silent as log } from '../../support/log.js'
import { testFolder } from '../../support/test-folder.js'
import type { Attempts, Outcomes } from './hostile-converter.js'

const hostile = fileURLToPath(new URL('./hostile-converter.js', import.meta.url))
const never = new AbortController().signal
const strictest = await findConverterIsolation()
const withoutNamespaces = await findConverterIsolation({ unshare: '/nowhere/unshare' })
if (strictest.by !== 'namespaces') t.comment(`no namespaces here: ${strictest.reasons.join('; ')}`)

/** Something of each kind that a service has beside its converter. */
async function surroundings (t: Test): Promise<Attempts> {
  const folder = testFolder(t)
  const secret = join(folder, 'token-secret')
  await writeFile(secret, 'hunter2')
  // A socket's path may have some hundred characters, less than a test's folder.
  const short = await mkdtemp(join(tmpdir(), 'catalog-test-'))
  t.teardown(async () => { await rm(short, { recursive: true }) })
  const socket = join(short, 'socket')
  const servers = [createServer().listen(0, '127.0.0.1'), createServer().listen(socket)]
  await Promise.all(servers.map(async (server) => { await once(server, 'listening') }))
  t.teardown(() => { for (const server of servers) server.close() })
  const { port } = servers[0]?.address() as AddressInfo
  return {
    read: [secret, '/etc/passwd', `/proc/${process.pid}/environ`, '/proc/self/environ', fileURLToPath(import.meta.url)],
    write: [join(folder, 'written'), '/tmp/written', join(dirname(converterProgram), 'written')],
    connect: [port, socket],
    signal: [process.pid, process.ppid],
    execute: ['/bin/sh', '/usr/bin/env', process.execPath]
  }
}

async function outcomes (isolation: ConverterIsolation, attempts: Attempts): Promise<Outcomes> {
  const convert = createPdfConverter({ log, program: hostile, isolation: { ...isolation, files: [...isolation.files, hostile] } })
  return JSON.parse(await convert(Buffer.from(JSON.stringify(attempts)), never)) as Outcomes
}

t.test('the hostile converter reaches all of it where nothing holds it, so that what follows means something', async (t) => {
  const attempts = await surroundings(t)
  const { reached } = await outcomes({ by: 'nothing', files: [], reasons: [] }, { ...attempts, write: attempts.write.slice(0, 1) })
  for (const name of [`read ${attempts.read[0]}`, 'read /etc/passwd', `write ${attempts.write[0]}`, `connect ${attempts.connect[0]}`, `connect ${attempts.connect[1]}`, `signal ${process.pid}`, 'execute /bin/sh']) {
    t.ok(reached.includes(name), name)
  }
})

t.test('in namespaces it reaches no network, no other process and no file but its own', { skip: strictest.by !== 'namespaces' }, async (t) => {
  process.env['SECRET_OF_THE_SERVICE'] = 'hunter2'
  t.teardown(() => { delete process.env['SECRET_OF_THE_SERVICE'] })
  const { reached, environment, root } = await outcomes(strictest, await surroundings(t))
  t.strictSame(reached.filter((name) => name !== 'list /'), [])
  t.notMatch(JSON.stringify(environment), /hunter2/)
  const own = new Set(strictest.files.map((path) => path.split('/')[1]))
  t.strictSame(root.filter((name) => !own.has(name) && name !== 'tmp'), [], 'the root holds nothing else')
})

t.test('without the permission model it would be held as well: what the kernel refuses, native code cannot have', { skip: strictest.by !== 'namespaces' }, async (t) => {
  const command = isolatedCommand({ ...strictest, files: [...strictest.files, hostile] }, [], hostile)
  const unguarded = command.filter((argument) => !/^--(?:permission|experimental-permission|allow-)/.test(argument))
  t.ok(unguarded.length < command.length)
  const running = promisify(execFile)('/bin/sh', ['-c', 'exec "$@"', 'sh', ...unguarded], { env: {}, cwd: '/' })
  running.child.stdin?.end(JSON.stringify(await surroundings(t)))
  const { markdown } = JSON.parse((await running).stdout) as { markdown: string }
  const { reached } = JSON.parse(markdown) as Outcomes
  // Node is one of its files.
  t.strictSame(reached.filter((name) => name !== 'list /' && name !== `execute ${process.execPath}`), [])
})

t.test('with permissions alone JavaScript reads and writes nothing, and starts no process', { skip: withoutNamespaces.by !== 'permissions' }, async (t) => {
  const { reached } = await outcomes(withoutNamespaces, await surroundings(t))
  t.strictSame(reached.filter((name) => /^(?:read|write|execute)/.test(name)), [])
})

t.test('what is missing for a stricter one is told', async (t) => {
  t.not(withoutNamespaces.by, 'namespaces')
  t.match(withoutNamespaces.reasons[0], /^namespaces: .*\/nowhere\/unshare/)
  if (strictest.by === 'namespaces') t.strictSame(strictest.reasons, [])
})

const refusal = async (converting: Promise<string>): Promise<unknown> =>
  await converting.catch((error: unknown) => { if (error instanceof PdfRefused) return { error: error.failure.code }; throw error })

for (const [isolation, names] of [[strictest, Object.keys(expectations)], [withoutNamespaces, ['ruled', 'non-latin', 'truncated']]] as const) {
  t.test(`size charts become what they become anywhere: by ${isolation.by}`, { timeout: 600_000 }, async (t) => {
    // What a chart becomes is not for a busy machine to say.
    const convert = createPdfConverter({ log, isolation, timeoutMs: 120_000 })
    const limit = pLimit(3)
    await Promise.all(names.map(async (name) => {
      const answer = await limit(async () => await refusal(convert(corpusPdf(name), never)))
      const expected = expectations[name]
      t.strictSame(typeof answer === 'string' ? { tables: tablesIn(answer) } : answer, expected, name)
    }))
  })
}

t.test('a converter that is killed leaves no process behind', { skip: strictest.by !== 'namespaces' }, async (t) => {
  const program = fileURLToPath(new URL('./stub-converter.js', import.meta.url))
  const convert = createPdfConverter({ log, program, timeoutMs: 300, isolation: { ...strictest, files: [...strictest.files, program] } })
  t.strictSame(await refusal(convert(Buffer.from('spin'), never)), { error: 'too-complex' })
  // Its end of the pipe is closed, or this would not have settled; and nobody of this process's children runs it.
  const children = (await readFile(`/proc/self/task/${process.pid}/children`, 'latin1')).trim().split(' ').filter((id) => id !== '')
  const commands = await Promise.all(children.map(async (id) => await readFile(`/proc/${id}/cmdline`, 'latin1').catch(() => '')))
  t.strictSame(commands.filter((command) => command.includes(program)), [])
})
