/** What `npm run certify` is called with: what is wrong with it is told by the option's name, and without a secret. */
import t from 'tap'
import { readArguments } from '../../services/certify/certify-arguments.js'

const servers = ['--mongodb-url', 'mongodb://127.0.0.1:9', '--kafka', '127.0.0.1:9']
const withSftp = (...more: string[]): string[] => [...servers, '--sftp', 'sftp://ada@127.0.0.1:9/{vendorId}', ...more]
const fingerprint = 'SHA256:j43O8y4RFSsX9B9UOncdKpajsDEIdpz3vstlQHoapwI'

for (const [what, args, message, env = {}] of [
  ['nothing', [], /^--mongodb-url \(or MONGODB_URL, MONGODB_URL_FILE\) is required, such as --mongodb-url mongodb:/],
  ['no Kafka', servers.slice(0, 2), /^--kafka \(or KAFKA_BROKERS\) is required, such as --kafka host:9092$/],
  ['an option that there is not', [...servers, '--kafak', 'a:1'], /^Unknown option '--kafak'/],
  ['an option without a value', ['--mongodb-url', '', ...servers.slice(2)], /^--mongodb-url must not be empty$/],
  ['a URL that is none', ['--mongodb-url', 'db:p4ss-word', ...servers.slice(2)], /^--mongodb-url must be a URL such as mongodb:/],
  ['a URL with what the service does not take', ['--mongodb-url', 'mongodb://ada:p4ss-word@h/?w=1', ...servers.slice(2)], /^--mongodb-url must be .*: w=1 is not possible: /],
  ['a variable that is wrong', servers.slice(2), /^MONGODB_URL must be a URL such as /, { MONGODB_URL: 'db:p4ss-word' }],
  ['brokers without a port', [...servers.slice(0, 2), '--kafka', 'broker'], /^--kafka must be a comma-separated list of host:port, such as kafka-0:9092,kafka-1:9092, not "broker"$/],
  ['a setting of Kafka\'s that needs another', servers, /^KAFKA_SASL_MECHANISM is required with KAFKA_SECURITY_PROTOCOL sasl_ssl/, { KAFKA_SECURITY_PROTOCOL: 'sasl_ssl', KAFKA_SASL_PASSWORD: 'p4ss-word' }],
  ['an SFTP server without a key', withSftp(), /^--sftp-private-key-file is required when --sftp is set, for example /],
  ['an SFTP server without anything to know it by', withSftp('--sftp-private-key-file', 'key'), /^--sftp-known-hosts-file or --sftp-host-key-fingerprint is required when --sftp is set, for example .* ssh-keyscan -p 9 127\.0\.0\.1 prints/],
  ['a test that there is not', [...servers, 'import-everything'], /^"import-everything" is no test for servers of one's own; there are api-access, /],
  ['a test that somebody\'s own servers cannot have', [...servers, 'import-outlasts-database'], /^"import-outlasts-database" is no test/],
  ['a URL whose option was forgotten', [...servers, 'mongodb://ada:p4ss-word@h'], /^an argument without an option is no test/],
  ['lines that are no number', [...servers, '--lines', 'many'], /^--lines must be a number from 1 to 10000000, not "many"$/]
] as Array<[string, string[], RegExp, NodeJS.ProcessEnv?]>) {
  t.test(`${what} is refused`, async (t) => {
    const refused = readArguments(args, env)
    await t.rejects(refused, { name: 'UsageError', message })
    await t.rejects(refused, { message: /^(?:(?!p4ss-word)[^\n])*$/ }, 'one line, without the secret')
  })
}

t.test('options are what the service is told, and win over what the environment says the same by', async (t) => {
  const given = {
    MONGODB_URL_FILE: '/run/secrets/url', KAFKA_BROKERS: 'other:1', KAFKA_SECURITY_PROTOCOL: 'ssl', SFTP_HOST_KEY_FINGERPRINT: fingerprint, PORT: 'of something else'
  }
  const { servers: { env } = { env: {} } } = await readArguments(withSftp('--sftp-private-key-file', 'key', '--sftp-known-hosts-file', 'known_hosts'), given) ?? {}
  t.strictSame(env, {
    MONGODB_URL: 'mongodb://127.0.0.1:9',
    KAFKA_BROKERS: '127.0.0.1:9',
    KAFKA_SECURITY_PROTOCOL: 'ssl',
    SFTP_URL: 'sftp://ada@127.0.0.1:9/{vendorId}',
    SFTP_PRIVATE_KEY_FILE: 'key',
    SFTP_KNOWN_HOSTS_FILE: 'known_hosts'
  })
})

t.test('variables alone are enough, and messages name what was given', async (t) => {
  const { files, word } = await readArguments(['import-dry-run', 'throughput', '--kafka', 'k:1'], { MONGODB_URL: 'mongodb://h' }) ?? { files: [] }
  t.strictSame(files.map((file) => file.replace(/^.*\//, '')), ['import-dry-run.test.js', 'throughput.test.js'])
  t.equal(word?.('MONGODB_URL or KAFKA_BROKERS'), 'MONGODB_URL or --kafka')
})

t.test('all tests that can be are run, one less where files are only to be seen over SFTP', async (t) => {
  const all = await readArguments(servers, {})
  const overSftp = await readArguments(withSftp('--sftp-private-key-file', 'key', '--sftp-host-key-fingerprint', fingerprint), {})
  t.ok((all?.files.length ?? 0) > 30)
  t.equal(all?.files.length, (overSftp?.files.length ?? 0) + 1)
})
