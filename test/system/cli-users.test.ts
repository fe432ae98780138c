/** Users and tokens through the command line, against a real database (operations.md, "Command line"). */
import t from 'tap'
import { createTokenVerifier } from '../../src/api/auth/token-verifier.js'
import { loadOrCreateTokenSecret } from '../../src/embedded/token-secret.js'
import { testDatabase } from '../support/database.js'
import { jsonOf, type Run } from '../unit/cli/support/run-catalog.js'
import { runInProcess } from '../unit/cli/support/run-in-process.js'
import { testFolder } from '../support/test-folder.js'

const secret = 'a secret that only this test knows'

t.test('the command line registers users and gives tokens', async (t) => {
  const { url, repositories } = await testDatabase(t)
  const { users, auditEvents } = repositories
  const env = { MONGODB_URL: url, AUTH_JWT_SECRET: secret }
  const catalog = async (...args: string[]): Promise<Run> => await runInProcess(args, env)
  const refusal = (message: string): Run => ({ exitCode: 1, stdout: '', stderr: `error: ${message}\n` })
  for (const vendorId of ['acme', 'other']) await repositories.vendors.create(vendorId, vendorId)

  t.test('user create, with and without a vendor', async (t) => {
    const run = await catalog('user', 'create', '--id', 'ada', '--email', 'ada@example.com', '--vendor', 'acme', '--role', 'member', '--permissions', 'VIEW_NPS,VIEW_PII', '--json')
    t.same([run.exitCode, run.stderr, jsonOf(run)], [0, '', { userId: 'ada' }])
    t.match(await users.find('ada'), { email: 'ada@example.com', memberships: [{ vendorId: 'acme', role: 'member', permissions: ['VIEW_NPS', 'VIEW_PII'] }] })
    t.match((await catalog('user', 'create', '--id', 'bo', '--email', 'bo@example.com')).stdout, /Created user bo/)
    t.strictSame((await users.find('bo'))?.memberships, [])
  })

  t.test('an id that is taken, a malformed one, an address that is none and an unknown vendor are refused', async (t) => {
    const create = async (id: string, email: string, ...more: string[]): Promise<Run> => await catalog('user', 'create', `--id=${id}`, '--email', email, ...more)
    t.same(await create('ada', 'ada@example.com'), refusal('User ada exists already'))
    t.match(await create('x', 'x@example.com', '--vendor', 'nobody', '--role', 'owner'), refusal('There is no vendor "nobody"'))
    for (const [id, email] of [['$ne', 'x@example.com'], ['', 'x@example.com'], ['x', 'nobody'], ['x', 'a b@c']] as const) {
      t.not((await create(id, email)).exitCode, 0, `${id} ${email}`)
    }
    t.equal(await users.find('x'), null)
  })

  t.test('options that contradict each other are wrong usage', async (t) => {
    for (const options of [['--vendor', 'acme'], ['--role', 'owner'], ['--permissions', 'VIEW_PII'], ['--vendor', 'acme', '--role', 'king'], ['--vendor', 'acme', '--role', 'owner', '--permissions', 'VIEW_PII'], ['--vendor', 'acme', '--role', 'member', '--permissions', 'FLY']]) {
      t.equal((await catalog('user', 'create', '--id', 'y', '--email', 'y@example.com', ...options)).exitCode, 2, options.join(' '))
    }
    t.equal((await catalog('user', 'grant', '--id', 'ada')).exitCode, 2)
  })

  t.test('user grant adds and changes a membership, user withdraw ends it', async (t) => {
    t.equal((await catalog('user', 'grant', '--id', 'ada', '--vendor', 'other', '--role', 'owner')).exitCode, 0)
    const changed = await catalog('user', 'grant', '--id', 'ada', '--vendor', 'acme', '--role', 'member', '--json')
    t.strictSame(jsonOf(changed), { userId: 'ada', vendorId: 'acme', role: 'member', permissions: [] })
    t.match((await users.find('ada'))?.memberships, [{ vendorId: 'other', role: 'owner' }, { vendorId: 'acme', permissions: [] }])
    for (const again of [1, 2]) t.equal((await catalog('user', 'withdraw', '--id', 'ada', '--vendor', 'other')).exitCode, 0, String(again))
    t.match(await users.find('ada'), { memberships: { length: 1 } })
    t.same(await catalog('user', 'grant', '--id', 'ghost', '--vendor', 'acme', '--role', 'owner'), refusal('There is no user "ghost"'))
  })

  t.test('token create prints a token that the service takes', async (t) => {
    const verify = createTokenVerifier({ keys: { secret }, issuer: undefined, audience: undefined, maxAgeSeconds: 3_600 })
    t.equal(await verify(String(jsonOf(await catalog('token', 'create', '--user', 'ada', '--json'))['token'])), 'ada')
    t.equal(await verify((await catalog('token', 'create', '--user', 'ada', '--ttl', '90s')).stdout.trim()), 'ada')
  })

  t.test('it carries the issuer and audience that the service wants', async (t) => {
    const names = { issuer: 'https://id.example.com', audience: 'catalog' }
    const run = await runInProcess(['token', 'create', '--user', 'ada'], { ...env, AUTH_ISSUER: names.issuer, AUTH_AUDIENCE: names.audience })
    t.equal(await createTokenVerifier({ keys: { secret }, ...names, maxAgeSeconds: 3_600 })(run.stdout.trim()), 'ada')
  })

  t.test('without a secret of the operator the one on DATA_DIR signs', async (t) => {
    const dataDir = testFolder(t)
    const run = await runInProcess(['token', 'create', '--user', 'ada'], { MONGODB_URL: url, DATA_DIR: dataDir })
    const made = await loadOrCreateTokenSecret(dataDir)
    t.match(made, /^[0-9a-f]{64}$/)
    t.equal(await createTokenVerifier({ keys: { secret: made }, issuer: undefined, audience: undefined, maxAgeSeconds: 3_600 })(run.stdout.trim()), 'ada')
  })

  t.test('no token for an unknown user, a senseless time, or where another party issues them', async (t) => {
    t.same(await catalog('token', 'create', '--user', 'ghost'), refusal('There is no user "ghost"'))
    for (const ttl of ['0s', '1', 'h', '-1h', '1e3s', '1h1h']) t.equal((await catalog('token', 'create', '--user', 'ada', `--ttl=${ttl}`)).exitCode, 2, ttl)
    const elsewhere = await runInProcess(['token', 'create', '--user', 'ada'], { MONGODB_URL: url, AUTH_JWKS_URL: 'https://id.example.com/keys' })
    t.match(elsewhere, { exitCode: 1, stdout: '', stderr: /AUTH_JWKS_URL/ })
  })

  t.test('no token that the service would refuse for its length; without --ttl it lasts as long as it may', async (t) => {
    t.match(await catalog('token', 'create', '--user', 'ada', '--ttl', '25h'), { exitCode: 1, stdout: '', stderr: /--ttl is at most 86400 s \(AUTH_TOKEN_MAX_AGE\)/ })
    const run = await runInProcess(['token', 'create', '--user', 'ada'], { ...env, AUTH_TOKEN_MAX_AGE: '15m' })
    t.equal(await createTokenVerifier({ keys: { secret }, issuer: undefined, audience: undefined, maxAgeSeconds: 900 })(run.stdout.trim()), 'ada')
  })

  t.test('key revoke ends a user\'s key as well', async (t) => {
    const { record } = await repositories.userApiKeys.create('ada', 'script', null)
    const first = jsonOf(await catalog('key', 'revoke', '--id', record._id, '--json'))
    t.match(first, { id: record._id, revokedAt: String })
    t.same(jsonOf(await catalog('key', 'revoke', '--id', record._id, '--json')), first)
  })

  t.test('and names the integration keys that its user has made, here and on the audit trail', async (t) => {
    const { record } = await repositories.userApiKeys.create('ada', 'script', null)
    const { record: made } = await repositories.integrationApiKeys.create('acme', 'left behind', ['VIEW_PII'], { createdBy: 'ada' })
    await repositories.integrationApiKeys.create('acme', 'not hers', [])
    const { integrationKeys } = jsonOf(await catalog('key', 'revoke', '--id', record._id, '--json'))
    t.match(integrationKeys, [{ id: made._id, vendorId: 'acme', name: 'left behind', createdAt: String }])
    t.equal((integrationKeys as object[]).length, 1)
    t.match((await catalog('key', 'revoke', '--id', record._id)).stdout, `integration key ${made._id} (left behind) of vendor acme, which still works`)
    t.match((await auditEvents.page('acme', { first: 1, after: null })).nodes, [{ action: 'key revoke', targetId: record._id, relatedIds: [made._id] }])
  })

  t.test('key create may say when the key ends; a time that is none is wrong usage', async (t) => {
    const create = async (expiresIn: string): Promise<Run> =>
      await catalog('key', 'create', '--vendor', 'acme', '--name', 'brief', '--permissions', 'VIEW_NPS', '--expires-in', expiresIn, '--json')
    const { id, expiresAt } = jsonOf(await create('90d'))
    const record = (await repositories.integrationApiKeys.list('acme')).find(({ _id }) => _id === id)
    t.equal(record?.expiresAt?.toISOString(), expiresAt)
    t.ok(Math.abs(Date.parse(String(expiresAt)) - Date.now() - 90 * 24 * 3_600_000) < 3_600_000)
    for (const time of ['0s', '-1d', 'never', '999999999d']) t.equal((await create(time)).exitCode, 2, time)
  })

  t.test('sftp-key remove ends a key of that vendor only', async (t) => {
    const { sftpKeys } = repositories
    await sftpKeys.add({ _id: 'SHA256:abc', vendorId: 'acme', publicKey: 'ssh-ed25519 AAAA', comment: '', createdAt: new Date() })
    t.equal((await catalog('sftp-key', 'remove', '--vendor', 'other', '--fingerprint', 'SHA256:abc')).exitCode, 1)
    t.ok(await sftpKeys.isRegistered('acme', 'SHA256:abc'))
    t.strictSame(jsonOf(await catalog('sftp-key', 'remove', '--vendor', 'acme', '--fingerprint', 'SHA256:abc', '--json')), { fingerprint: 'SHA256:abc' })
    t.notOk(await sftpKeys.isRegistered('acme', 'SHA256:abc'))
    t.same(await catalog('sftp-key', 'remove', '--vendor', 'acme', '--fingerprint', 'SHA256:abc'), refusal('Vendor acme has no key "SHA256:abc"'))
  })

  t.test('what operators do is on the vendor\'s audit trail', async (t) => {
    await catalog('key', 'create', '--vendor', 'acme', '--name', 'n', '--permissions', 'PRODUCT_MANAGE')
    const { nodes } = await auditEvents.page('acme', { first: 100, after: null })
    t.match(nodes[0], { action: 'key create', actor: { kind: 'operator' }, outcome: 'done', targetId: /^[0-9a-f-]{36}$/ })
    for (const action of ['user create', 'user grant', 'key revoke']) t.ok(nodes.some((event) => event.action === action), action)
    t.ok(nodes.some(({ action, outcome, code }) => action === 'user grant' && outcome === 'refused' && code === 'NOT_FOUND'))
  })
})
