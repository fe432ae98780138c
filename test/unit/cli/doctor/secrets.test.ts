import { join } from 'node:path'
import t from 'tap'
import { readSecrets, withoutSecrets } from '../../../../src/cli/doctor/secrets.js'
import { testFolder } from '../../../support/test-folder.js'

t.test('passwords, keys and what their files hold do not come through, in whatever form', async (t) => {
  const folder = testFolder(t, {
    password: 'pass=word-in-a-file\n',
    key: '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n-----END OPENSSH PRIVATE KEY-----\n',
    url: 'mongodb://ada:s%3Acret@db.example.com/catalog?replicaSet=rs0\n',
    jwt: 'a-secret-of-thirty-two-characters\n',
    properties: 'ssl.key.password=opensesame\n'
  })
  const secrets = await readSecrets({
    MONGODB_URL: 'mongodb://ada:p%40ssw0rd@db.example.com/catalog',
    AUTH_JWT_SECRET: 'x'.repeat(32),
    MONGODB_URL_FILE: join(folder, 'url'),
    AUTH_JWT_SECRET_FILE: join(folder, 'jwt'),
    KAFKA_SASL_PASSWORD: 'hunter2',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20t0ken,x-team=c0llector',
    KAFKA_SASL_PASSWORD_FILE: join(folder, 'password'),
    SFTP_PRIVATE_KEY_FILE: join(folder, 'key'),
    KAFKA_PROPERTIES_FILE: join(folder, 'properties')
  })
  const said = 'p%40ssw0rd p@ssw0rd hunter2 pass=word-in-a-file b3BlbnNzaC1rZXktdjEAAAAA opensesame s%3Acret s:cret a-secret-of-thirty-two-characters ' + 'x'.repeat(32) + ' Bearer%20t0ken Bearer t0ken c0llector'
  t.equal(withoutSecrets(said, secrets), Array(13).fill('***').join(' '))
  t.equal(withoutSecrets('db.example.com rs0', secrets), 'db.example.com rs0')
})

t.test('a password with an unescaped sign is secret to the last one', async (t) => {
  const secrets = await readSecrets({ MONGODB_URL: 'mongodb://ada:p@ss:w0rd@db.example.com/catalog' })
  t.notMatch(withoutSecrets('cannot parse p@ss:w0rd', secrets), /w0rd|p@ss/)
  t.notMatch(withoutSecrets('cannot parse 100%', await readSecrets({ MONGODB_URL: 'mongodb://ada:100%@h/c' })), '100%')
})

t.test('what is not secret stays, and files that are not there are none of its business', async (t) => {
  const secrets = await readSecrets({ MONGODB_URL: 'mongodb://db.example.com/catalog', SFTP_PRIVATE_KEY_FILE: '/nowhere' })
  t.strictSame(secrets, [])
  t.equal(withoutSecrets('db.example.com', secrets), 'db.example.com')
})
