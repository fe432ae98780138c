/** SFTP_HOST_KEY_FILE: the built-in server shows the key that it is given, and one can take the other's place while files are read. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import ssh2 from 'ssh2'
import t, { type Test } from 'tap'
import { fingerprintOf } from '../../src/domain/ssh-public-key.js'
import { generateEd25519KeyPair, type KeyPair } from '../../src/sftp/key-pair.js'
import { file, line } from '../support/product-lines.js'
import { dataDirectory, serveProgram, serviceEnvironment, startServiceProcess, type ServiceProcess } from '../support/service-process.js'
import { testFolder } from '../support/test-folder.js'
import { createVendor } from '../support/vendor.js'

const fingerprintOfPair = (pair: KeyPair): string => {
  const key = ssh2.utils.parseKey(pair.public)
  if (key instanceof Error) throw key
  return fingerprintOf(key.getPublicSSH())
}

function keyFiles (t: Test): { former: KeyPair, next: KeyPair, formerFile: string, nextFile: string } {
  const [former, next] = [generateEd25519KeyPair('former'), generateEd25519KeyPair('next')]
  const folder = testFolder(t, { former: former.private, next: next.private, rubbish: 'no key' })
  for (const name of ['former', 'next']) chmodSync(join(folder, name), 0o600)
  return { former, next, formerFile: join(folder, 'former'), nextFile: join(folder, 'next') }
}

const shown = ({ logs }: ServiceProcess): unknown => logs.findLast(({ msg }) => msg === 'the SFTP server shows this host key')

/** As a client sees it. */
async function hostKeyOf ({ sftp }: ServiceProcess): Promise<string> {
  const [host = '', port = ''] = sftp.split(':')
  const client = new ssh2.Client()
  let found = ''
  await new Promise<void>((resolve) => {
    client.on('error', () => { /* it is refused on purpose */ }).on('close', () => { resolve() })
    client.connect({ host, port: Number(port), username: 'acme', password: 'x', hostVerifier: (key: Buffer) => { found = fingerprintOf(key); return false } })
  })
  return found
}

t.test('with a second key beside it the first is shown, both are printed, and files are read', { timeout: 120_000 }, async (t) => {
  const { former, next, formerFile, nextFile } = keyFiles(t)
  const env: NodeJS.ProcessEnv = { KAFKA_BROKERS: '', SFTP_URL: '' }
  const service = await startServiceProcess(t, { mongodbUrl: null, env: { ...env, SFTP_HOST_KEY_FILE: `${formerFile},${nextFile}` } })
  t.match(shown(service), { hostKey: fingerprintOfPair(former), otherHostKeys: [fingerprintOfPair(next)] })
  t.equal(await hostKeyOf(service), fingerprintOfPair(former))
  const vendor = await createVendor(service)
  await vendor.put('a.jsonl', file(line('A')))
  t.match(await vendor.runImport({ files: ['a.jsonl'], mode: 'UPDATE' }), { status: 'completed', stats: { productsProcessed: 1 } })
  const known = await readFile(join(service.dataDir, 'sftp', 'known_hosts'), 'utf8')
  t.strictSame(known.trim().split('\n').map((entry) => entry.split(' ')[2]), [former, next].map((pair) => pair.public.split(' ')[1]), 'workers believe both')
})

t.test('the first of two is shown', { timeout: 120_000 }, async (t) => {
  const { former, next, formerFile, nextFile } = keyFiles(t)
  const service = await startServiceProcess(t, { mongodbUrl: null, env: { KAFKA_BROKERS: '', SFTP_URL: '', ROLES: 'sftp', SFTP_HOST_KEY_FILE: `${nextFile},${formerFile}` } })
  t.equal(await hostKeyOf(service), fingerprintOfPair(next))
  t.match(shown(service), { hostKey: fingerprintOfPair(next), otherHostKeys: [fingerprintOfPair(former)] })
})

t.test('one that is made is printed, too', { timeout: 120_000 }, async (t) => {
  const service = await startServiceProcess(t, { mongodbUrl: null, env: { KAFKA_BROKERS: '', SFTP_URL: '', ROLES: 'sftp' } })
  t.match(shown(service), { hostKey: await hostKeyOf(service), otherHostKeys: [] })
})

for (const [what, name, fault] of [['that is not there', 'nowhere', /is not there/], ['that is none', 'rubbish', /does not hold an unencrypted ed25519 private key/]] as const) {
  t.test(`a key ${what} ends the start, and says how one is made`, async (t) => {
    const folder = testFolder(t, { rubbish: 'no key' })
    const dataDir = await dataDirectory(t)
    const child = spawn(process.execPath, [serveProgram], { env: serviceEnvironment(dataDir, { ROLES: 'sftp', SFTP_HOST_KEY_FILE: join(folder, name) }), cwd: dataDir, stdio: ['ignore', 'pipe', 'inherit'] })
    t.teardown(() => { child.kill('SIGKILL') })
    const [[code], stdout] = await Promise.all([once(child, 'exit') as Promise<[number | null]>, text(child.stdout)])
    t.equal(code, 1)
    t.match(stdout, /SFTP_HOST_KEY_FILE cannot be used: /)
    t.match(stdout, fault)
    t.match(stdout, /ssh-keygen -t ed25519/)
    t.notMatch(stdout, 'no key')
  })
}
