/** Vendors and keys through the command line, against a real database. */
import { join } from 'node:path'
import t from 'tap'
import { hashKey, isIntegrationKey } from '../../src/domain/api-key.js'
import { generateEd25519KeyPair } from '../../src/sftp/key-pair.js'
import { testDatabase } from '../support/database.js'
import { jsonOf, type Run } from '../unit/cli/support/run-catalog.js'
import { runInProcess } from '../unit/cli/support/run-in-process.js'
import { testFolder } from '../support/test-folder.js'

t.test('the command line registers vendors and keys', async (t) => {
  const { url, repositories } = await testDatabase(t)
  const catalog = async (...args: string[]): Promise<Run> => await runInProcess(args, { MONGODB_URL: url })
  const pair = generateEd25519KeyPair('ada@example.com')
  const folder = testFolder(t, { 'id.pub': pair.public, id: pair.private })
  await repositories.vendors.create('other', 'Other')

  t.test('vendor create', async (t) => {
    const run = await catalog('vendor', 'create', '--id', 'acme', '--name', 'Acme', '--json')
    t.same([run.exitCode, run.stderr, jsonOf(run)], [0, '', { vendorId: 'acme', sftpUsername: 'acme' }])
    t.match(await repositories.vendors.find('acme'), { _id: 'acme', name: 'Acme' })
    t.match((await catalog('vendor', 'create', '--id', 'second', '--name', 'S')).stdout, /Created vendor second/)
  })

  t.test('a vendor id that is taken is refused', async (t) => {
    t.same(await catalog('vendor', 'create', '--id', 'acme', '--name', 'Again', '--json'), { exitCode: 1, stdout: '', stderr: 'error: Vendor acme exists already\n' })
  })

  t.test('a malformed vendor id is wrong usage', async (t) => {
    for (const id of ['Acme', '../acme', '-a', 'a'.repeat(64)]) t.equal((await catalog('vendor', 'create', `--id=${id}`, '--name', 'A')).exitCode, 2, id)
  })

  t.test('key create prints the key once and stores its digest only', async (t) => {
    const run = await catalog('key', 'create', '--vendor', 'acme', '--name', 'nightly', '--permissions', 'PRODUCT_MANAGE, VIEW_PII', '--json')
    const { id, key } = jsonOf(run) as { id: string, key: string }
    t.ok(isIntegrationKey(key))
    const record = await repositories.integrationApiKeys.findByHash(hashKey(key))
    t.match(record, { _id: id, vendorId: 'acme', name: 'nightly', permissions: ['PRODUCT_MANAGE', 'VIEW_PII'], revokedAt: null })
    t.notMatch(JSON.stringify(record), key)
  })

  t.test('without --json the key stands alone on stdout', async (t) => {
    const { stdout, stderr } = await catalog('key', 'create', '--vendor', 'acme', '--name', 'n', '--permissions', 'PRODUCT_MANAGE')
    t.ok(isIntegrationKey(stdout.trim()))
    t.match(stderr, /cannot be shown again/)
  })

  t.test('a key of an unknown vendor is refused', async (t) => {
    const run = await catalog('key', 'create', '--vendor', 'nobody', '--name', 'n', '--permissions', 'PRODUCT_MANAGE', '--json')
    t.same(run, { exitCode: 1, stdout: '', stderr: 'error: There is no vendor "nobody"\n' })
  })

  t.test('key revoke keeps the first time', async (t) => {
    const { id } = jsonOf(await catalog('key', 'create', '--vendor', 'acme', '--name', 'n', '--permissions', 'PRODUCT_MANAGE', '--json')) as { id: string }
    const first = jsonOf(await catalog('key', 'revoke', '--id', id, '--json'))
    t.equal(first['id'], id)
    t.match(first['revokedAt'], /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    t.same(jsonOf(await catalog('key', 'revoke', '--id', id, '--json')), first)
  })

  t.test('an unknown key cannot be revoked', async (t) => {
    t.same(await catalog('key', 'revoke', '--id', 'nothing', '--json'), { exitCode: 1, stdout: '', stderr: 'error: There is no key "nothing"\n' })
  })

  t.test('sftp-key add registers the key, again is harmless', async (t) => {
    const add = async (): Promise<Run> => await catalog('sftp-key', 'add', '--vendor', 'acme', '--file', join(folder, 'id.pub'), '--json')
    const { fingerprint } = jsonOf(await add()) as { fingerprint: string }
    t.match(fingerprint, /^SHA256:/)
    t.ok(await repositories.sftpKeys.isRegistered('acme', fingerprint))
    t.same(jsonOf(await add()), { fingerprint })
  })

  t.test('a key of another vendor is refused, and stays that vendor\'s', async (t) => {
    const run = await catalog('sftp-key', 'add', '--vendor', 'other', '--file', join(folder, 'id.pub'))
    t.same([run.exitCode, run.stderr], [1, 'error: This key is registered for another vendor already\n'])
  })

  t.test('a private key given by mistake is refused and not repeated', async (t) => {
    const { exitCode, stdout, stderr } = await catalog('sftp-key', 'add', '--vendor', 'acme', '--file', join(folder, 'id'))
    t.same([exitCode, stdout], [1, ''])
    t.match(stderr, /is a private key/)
    t.notMatch(stderr, pair.private.split('\n')[1])
  })

  t.test('a key file that is missing, a folder, or for an unknown vendor is refused', async (t) => {
    t.match(await catalog('sftp-key', 'add', '--vendor', 'acme', '--file', join(folder, 'none.pub')), { exitCode: 1, stderr: /none.pub: no such file/ })
    t.match(await catalog('sftp-key', 'add', '--vendor', 'acme', '--file', folder), { exitCode: 1, stderr: /is a folder/ })
    t.match(await catalog('sftp-key', 'add', '--vendor', 'nobody', '--file', join(folder, 'id.pub')), { exitCode: 1, stderr: /There is no vendor "nobody"/ })
  })
})
