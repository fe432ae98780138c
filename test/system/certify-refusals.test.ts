/** `npm run certify` that cannot begin says why in a line each, and prints no secret. What it does on servers is shown by test/services/certify.test.ts. */
import { join } from 'node:path'
import t from 'tap'
import { freePort } from '../../src/embedded/local-ports.js'
import { runCertify } from '../support/certify.js'
import { testFolder } from '../support/test-folder.js'

t.test('servers that do not answer are told in one line each, before anything is run', async (t) => {
  const folder = testFolder(t, { key: 'not-a-key-of-anybody' })
  const [mongodb, kafka, sftp] = [await freePort(), await freePort(), await freePort()]
  const { exitCode, stdout, stderr } = await runCertify(
    ['--mongodb-url', `mongodb://ada:p4ss-word@127.0.0.1:${mongodb}/catalog`, '--kafka', `127.0.0.1:${kafka}`, '--sftp', `sftp://ada@127.0.0.1:${sftp}/{vendorId}`,
      '--sftp-private-key-file', join(folder, 'key'), '--sftp-host-key-fingerprint', 'SHA256:j43O8y4RFSsX9B9UOncdKpajsDEIdpz3vstlQHoapwI', 'import-dry-run'],
    { env: { KAFKA_SECURITY_PROTOCOL: 'sasl_plaintext', KAFKA_SASL_MECHANISM: 'PLAIN', KAFKA_SASL_USERNAME: 'ada', KAFKA_SASL_PASSWORD: 'p4ss-word' } }
  )
  t.equal(exitCode, 1)
  t.equal(stdout, '')
  t.strictSame(stderr.trim().split('\n'), [
    'certify: trying the servers',
    'certify: The tests cannot run on these servers',
    `- MongoDB: no server of --mongodb-url answers at 127.0.0.1:${mongodb}`,
    `- Kafka: no broker of --kafka answers at 127.0.0.1:${kafka}`,
    `- SFTP: The SFTP private key cannot be used (127.0.0.1:${sftp})`
  ])
})

t.test('what is wrong with the call is told with how it is to be called', async (t) => {
  const { exitCode, stdout, stderr } = await runCertify(['--mongodb-url', 'mongodb://h', '--kafka', 'k:1', '--report', '/nowhere/report.md'])
  t.equal(exitCode, 2)
  t.equal(stdout, '')
  t.match(stderr, /^certify: --report must be a file that can be written: ENOENT[^\n]*\n\nusage: npm run certify -- /)
})
