/** Exit code 2: what is wrong with a command line is told in one line, before anything is tried. */
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { runCatalog } from './support/run-catalog.js'
import { runInProcess } from './support/run-in-process.js'

const push = ['push', 'a.jsonl', '--mode', 'UPDATE', '--url', 'http://127.0.0.1:1', '--key', 'svc_x', '--sftp', 'acme@127.0.0.1:1', '--identity', 'id']
const without = (option: string): string[] => push.toSpliced(push.indexOf(option), 2)
const instead = (option: string, value: string): string[] => push.with(push.indexOf(option) + 1, value)

const wrong: Array<[string, string[], RegExp]> = [
  ['an unknown command', ['frobnicate'], /unknown command 'frobnicate'/],
  ['an unknown option', ['vendor', 'create', '--id', 'a', '--name', 'A', '--colour', 'red'], /unknown option '--colour'/],
  ['a missing option', ['vendor', 'create', '--id', 'a'], /'--name <name>' not specified/],
  ['a surplus argument', ['key', 'revoke', 'it', '--id', 'x'], /too many arguments/],
  ['an unknown permission', ['key', 'create', '--vendor', 'a', '--name', 'n', '--permissions', 'PRODUCT_MANAGE,FLY'], /There is no permission FLY/],
  ['no permission at all', ['key', 'create', '--vendor', 'a', '--name', 'n', '--permissions', ' , '], /opens nothing/],
  ['push without files', push.toSpliced(1, 1), /missing required argument 'file'/],
  ['push without --mode', without('--mode'), /--mode/],
  ['push without --key', without('--key'), /--key/],
  ['push with an unknown mode', instead('--mode', 'replace'), /Allowed choices are REPLACE, UPDATE/],
  ['push with a URL of another scheme', instead('--url', 'ftp://host'), /Expected an http\(s\) URL/],
  ['push without a user', instead('--sftp', '127.0.0.1:22'), /USER@HOST:PORT/],
  ['push of a file that no import takes', push.with(1, 'a.csv'), /"a.csv" must be a plain file name/],
  ['push with a malformed fingerprint', [...push, '--host-key-fingerprint', 'aa:bb'], /Expected SHA256:/],
  ['validate without files', ['validate'], /missing required argument 'file'/],
  ['a wrong environment', ['vendor', 'create', '--id', 'a', '--name', 'A'], /MONGODB_URL must be a URL/]
]
for (const [what, args, message] of wrong) {
  t.test(`${what} is wrong usage`, async (t) => {
    const { exitCode, stdout, stderr } = await runInProcess(args, { MONGODB_URL: 'not-a-url' })
    t.equal(exitCode, 2)
    t.equal(stdout, '')
    t.match(stderr, message)
    t.match(stderr, /^error: [^\n]+\n$/, 'one line')
  })
}

t.test('a malformed key is refused without being repeated', async (t) => {
  const { exitCode, stderr } = await runInProcess(instead('--key', 'svc_\nsecret'), {})
  t.equal(exitCode, 2)
  t.notMatch(stderr, /secret/)
})

t.test('help is not an error', async (t) => {
  for (const args of [['--help'], ['push', '--help'], ['key', 'create', '--help']]) {
    const { exitCode, stdout, stderr } = await runInProcess(args, {})
    t.equal(exitCode, 0)
    t.match(stdout, /^Usage: catalog/)
    t.equal(stderr, '')
  }
})

t.test('no command at all shows the help on stderr', async (t) => {
  const { exitCode, stdout, stderr } = await runCatalog([])
  t.same([exitCode, stdout], [2, ''])
  t.match(stderr, /^Usage: catalog/)
})

t.test('help never shows the key that the environment holds', async (t) => {
  const { stdout } = await runInProcess(['push', '--help'], { CATALOG_API_KEY: 'svc_secret' })
  t.notMatch(stdout, /svc_secret/)
})

t.test('a database that is away fails in one line that holds no password', async (t) => {
  const server = createServer()
  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve) })
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => { server.close(resolve) })
  const run = await runCatalog(['vendor', 'create', '--id', 'a', '--name', 'A', '--json'], { env: { MONGODB_URL: `mongodb://ada:pass@127.0.0.1:${port}/catalog` } })
  t.same(run, { exitCode: 1, stdout: '', stderr: `error: The database at 127.0.0.1:${port} does not answer\n` })
})
