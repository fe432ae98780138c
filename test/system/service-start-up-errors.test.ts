/** What is wrong at the start ends the process with a clear line, and leaves nothing running. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { freePort } from '../../src/embedded/local-ports.js'
import { eventually } from '../support/eventually.js'
import { dataDirectory, serveProgram, serviceEnvironment } from '../support/service-process.js'

interface End { code: number | null, stdout: string, stderr: string }

interface LogRecord { level: number, time: number, msg?: string, ready?: true }

async function start (t: Test, env: NodeJS.ProcessEnv): Promise<End & { lines: string[] }> {
  const dataDir = await dataDirectory(t)
  const child = spawn(process.execPath, [serveProgram], { env: serviceEnvironment(dataDir, env), cwd: dataDir, stdio: ['ignore', 'pipe', 'pipe'] })
  t.teardown(() => { child.kill('SIGKILL') })
  const [[code], stdout, stderr] = await Promise.all([once(child, 'exit') as Promise<[number | null]>, text(child.stdout), text(child.stderr)])
  return { code, stdout, stderr, lines: `${stdout}${stderr}`.split('\n').filter((line) => line !== '') }
}

// Each variable's own faults are told by test/unit/config.
t.test('a wrong variable is named in one line', async (t) => {
  const { code, lines } = await start(t, { ROLES: 'api,wroker' })
  t.equal(code, 1)
  t.equal(lines.length, 1)
  t.match(lines[0], 'ROLES')
})

t.test('a wrong secret is not repeated', async (t) => {
  const { code, lines } = await start(t, { AUTH_JWT_SECRET: 's3cret' })
  t.equal(code, 1)
  t.equal(lines.length, 1)
  t.match(lines[0], 'AUTH_JWT_SECRET')
  t.notMatch(lines[0], 's3cret')
})

t.test('a variable that another one needs is named in one line', async (t) => {
  const { code, lines } = await start(t, { SFTP_URL: 'sftp://user@sftp.example.com/{vendorId}' })
  t.equal(code, 1)
  t.equal(lines.length, 1)
  t.match(lines[0], 'SFTP_PRIVATE_KEY_FILE')
})

t.test('an external SFTP server without anything to know it by is named in one line', async (t) => {
  const { code, lines } = await start(t, { SFTP_URL: 'sftp://user@sftp.example.com/{vendorId}', SFTP_PRIVATE_KEY_FILE: 'key' })
  t.equal(code, 1)
  t.equal(lines.length, 1)
  t.match(lines[0], /^SFTP_KNOWN_HOSTS_FILE or SFTP_HOST_KEY_FINGERPRINT is required when SFTP_URL is set, for example .* ssh-keyscan -p 22 sftp\.example\.com prints/)
})

for (const [what, file, reason] of [
  ['is not there', 'nowhere', /SFTP_KNOWN_HOSTS_FILE cannot be used: ENOENT.*nowhere/],
  ['has no key of the server', '/dev/null', /SFTP_KNOWN_HOSTS_FILE cannot be used: \/dev\/null has no key for sftp\.example\.com"/]
] as const) {
  t.test(`a known_hosts that ${what} ends the start with one line`, async (t) => {
    const { code, lines } = await start(t, { SFTP_URL: 'sftp://user@sftp.example.com/{vendorId}', SFTP_PRIVATE_KEY_FILE: 'key', SFTP_KNOWN_HOSTS_FILE: file })
    t.equal(code, 1)
    t.equal(lines.length, 1)
    t.match(lines[0], reason)
  })
}

for (const name of ['PORT', 'SFTP_PORT']) {
  t.test(`${name} is taken`, async (t) => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    t.teardown(async () => {
      other.close()
      await once(other, 'close')
    })
    const { port } = other.address() as AddressInfo
    // The teardown of the folder waits for the embedded database to be gone.
    const { code, stdout } = await start(t, { [name]: String(port) })
    t.equal(code, 1)
    const fatal = stdout.trim().split('\n').map((line) => JSON.parse(line) as { level: number, ready?: true }).filter(({ level }) => level >= 60)
    t.equal(fatal.length, 1)
    t.match(JSON.stringify(fatal), String(port))
    t.match(JSON.stringify(fatal), 'EADDRINUSE')
    t.notMatch(stdout, '"ready":true')
  })
}

t.test('a start that fails once the API listens does not wait for load balancers, which have not been told of it', async (t) => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.teardown(() => { other.close() })
  const { port } = other.address() as AddressInfo
  const delaySeconds = 15
  const { code, stdout } = await start(t, { OPS_PORT: String(port), DRAIN_DELAY_SECONDS: String(delaySeconds) })
  t.equal(code, 1)
  const records = stdout.trim().split('\n').map((line) => JSON.parse(line) as LogRecord)
  const [listening, failed] = [records.find(({ msg }) => msg?.startsWith('Server listening')), records.at(-1)]
  t.match(failed, { level: 60, err: { message: /EADDRINUSE/ } })
  // What it is told after: all has been closed by then.
  t.ok(Number(failed?.time) - Number(listening?.time) < delaySeconds * 1_000)
})

t.test('SIGTERM while the database is waited for ends the process in good order', async (t) => {
  const dataDir = await dataDirectory(t)
  const mongodbUrl = `mongodb://127.0.0.1:${await freePort()}/catalog?directConnection=true`
  const child = spawn(process.execPath, [serveProgram], {
    env: serviceEnvironment(dataDir, { MONGODB_URL: mongodbUrl, LOG_LEVEL: 'debug' }), cwd: dataDir, stdio: ['ignore', 'pipe', 'inherit']
  })
  t.teardown(() => { child.kill('SIGKILL') })
  let output = ''
  child.stdout.on('data', (piece: Buffer) => { output += piece.toString() })
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  await eventually('the database is waited for', () => output.includes('the database is away'))
  child.kill('SIGTERM')
  t.strictSame(await exited, [0, null])
})
