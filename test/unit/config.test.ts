import { join } from 'node:path'
import t from 'tap'
import { loadConfig } from '../../src/config.js'
import { ConfigError, expectations } from '../../src/environment.js'
import { testFolder } from '../support/test-folder.js'

t.test('the defaults are those of the operating contract', async (t) => {
  const config = loadConfig({})
  t.match({ ...config, roles: [...config.roles] }, {
    roles: ['api', 'worker', 'sftp'], host: '127.0.0.1', port: 4000, sftpHost: '127.0.0.1', sftpPort: 2222,
    embeddedMongo: 'auto', logLevel: 'info'
  })
  t.equal(config.mongodbUrl, undefined)
})

t.test('an empty variable counts as not set', async (t) => {
  t.equal(loadConfig({ PORT: '', MONGODB_URL: '' }).port, 4000)
})

t.test('a key set comes over https, or over http from this machine', async (t) => {
  for (const url of ['https://id.example.com/keys', 'http://localhost:8080/keys', 'http://127.0.0.1/keys', 'http://[::1]:8080/keys']) {
    t.equal(loadConfig({ AUTH_JWKS_URL: url }).authJwksUrl, url)
  }
})

t.test('access tokens last a day at most, or what is said', async (t) => {
  t.equal(loadConfig({}).authTokenMaxAgeSeconds, 24 * 60 * 60)
  t.equal(loadConfig({ AUTH_TOKEN_MAX_AGE: '15m' }).authTokenMaxAgeSeconds, 15 * 60)
})

t.test('lists are read, and an empty one is none', async (t) => {
  const { api, sftpPenaltyExempt } = loadConfig({ CORS_ORIGINS: 'https://a.example.com,http://localhost:3000', TRUSTED_PROXIES: '10.0.0.0/8,::1', GRAPHQL_INTROSPECTION: 'false' })
  t.match(api, { corsOrigins: ['https://a.example.com', 'http://localhost:3000'], trustedProxies: ['10.0.0.0/8', '::1'], introspection: false, graphiql: false })
  t.strictSame(sftpPenaltyExempt, ['127.0.0.0/8', '::1/128'])
  t.strictSame(loadConfig({ CORS_ORIGINS: '' }).api.corsOrigins, [])
})

t.test('an embedded database is migrated at the start, and another only where that is said', async (t) => {
  t.equal(loadConfig({}).migrate, 'auto')
  t.equal(loadConfig({ MONGODB_URL: 'mongodb://h/catalog' }).migrate, 'check')
  t.equal(loadConfig({ MONGODB_URL: 'mongodb://h/catalog', MIGRATE: 'auto' }).migrate, 'auto')
  t.equal(loadConfig({ MIGRATE: 'check' }).migrate, 'check')
})

t.test('how MongoDB is reached is what the URL says', async (t) => {
  for (const url of [
    'mongodb://localhost', 'mongodb://[::1]:27017/catalog', 'mongodb+srv://catalog:p%40ss@cluster.example.com/shop?authSource=admin',
    'mongodb://a:1,b:2/c?replicaSet=rs0&w=majority&journal=true&readPreference=primary&readConcernLevel=majority&retryReads=false&compressors=snappy'
  ]) t.equal(loadConfig({ MONGODB_URL: url }).mongodbUrl, url)
})

const fingerprint = 'SHA256:j43O8y4RFSsX9B9UOncdKpajsDEIdpz3vstlQHoapwI'

t.test('merchants may be told another address than the one that the server listens on', async (t) => {
  t.equal(loadConfig({}).sftpPublicAddress, undefined)
  t.strictSame(loadConfig({ SFTP_PUBLIC_ADDRESS: 'sftp.example.com:22' }).sftpPublicAddress, { host: 'sftp.example.com', port: 22 })
  t.strictSame(loadConfig({ SFTP_PUBLIC_ADDRESS: '[2001:db8::1]:2222' }).sftpPublicAddress, { host: '2001:db8::1', port: 2222 })
})

t.test('an external SFTP server is known by a file or by fingerprints', async (t) => {
  const external = { SFTP_URL: 'sftp://u@h/{vendorId}', SFTP_PRIVATE_KEY_FILE: 'key' }
  t.strictSame(loadConfig({ ...external, SFTP_KNOWN_HOSTS_FILE: '/etc/known_hosts' }).sftpHostKeys, { knownHostsFile: '/etc/known_hosts' })
  t.strictSame(loadConfig({ ...external, SFTP_HOST_KEY_FINGERPRINT: `${fingerprint},${fingerprint}` }).sftpHostKeys, { fingerprints: [fingerprint, fingerprint] })
})

t.test('a secret is what its file holds, without the line break at its end', async (t) => {
  const folder = testFolder(t, { url: 'mongodb://ada:p%40ss@h/shop\n', secret: `${'x'.repeat(32)}\r\n`, bare: 'y'.repeat(32) })
  const { mongodbUrl, migrate, authJwtSecret } = loadConfig({ MONGODB_URL_FILE: join(folder, 'url'), AUTH_JWT_SECRET_FILE: join(folder, 'secret') })
  t.strictSame([mongodbUrl, migrate, authJwtSecret], ['mongodb://ada:p%40ss@h/shop', 'check', 'x'.repeat(32)])
  t.equal(loadConfig({ AUTH_JWT_SECRET: '', AUTH_JWT_SECRET_FILE: join(folder, 'bare') }).authJwtSecret, 'y'.repeat(32), 'an empty variable is none')
  t.equal(loadConfig({ AUTH_JWT_SECRET: 'z'.repeat(32), AUTH_JWT_SECRET_FILE: '' }).authJwtSecret, 'z'.repeat(32), 'and so is an empty name')
})

t.test('a file that holds no such secret ends the start with the variable\'s name, and without what it holds', async (t) => {
  const folder = testFolder(t, { empty: '\n', short: 'hunter2\n', url: 'mongodb://ada:hunter2@h:x/shop\n', scheme: 'postgres://ada:hunter2@h', large: 'x'.repeat(4 * 1024 * 1024 + 1) })
  const of = (name: string): string => join(folder, name)
  for (const [env, message] of [
    [{ AUTH_JWT_SECRET_FILE: of('none') }, `AUTH_JWT_SECRET_FILE must be the path of a file that can be read, and ${of('none')} cannot: ENOENT`],
    [{ AUTH_JWT_SECRET_FILE: folder }, `AUTH_JWT_SECRET_FILE must be the path of a file that can be read, and ${folder} cannot: EISDIR`],
    [{ AUTH_JWT_SECRET_FILE: of('empty') }, `AUTH_JWT_SECRET_FILE must be the path of a file that is not empty, and ${of('empty')} is`],
    [{ AUTH_JWT_SECRET_FILE: of('large') }, `AUTH_JWT_SECRET_FILE must be the path of a file that can be read, and ${of('large')} cannot: it has 4194305 bytes`],
    [{ AUTH_JWT_SECRET_FILE: of('short') }, 'AUTH_JWT_SECRET_FILE must be the path of a file that holds a secret of at least 32 characters'],
    [{ AUTH_JWT_SECRET_FILE: of('short'), AUTH_JWT_SECRET: 'x'.repeat(32) }, 'Set only one of AUTH_JWT_SECRET and AUTH_JWT_SECRET_FILE'],
    [{ MONGODB_URL_FILE: of('url'), MONGODB_URL: 'mongodb://h' }, 'Set only one of MONGODB_URL and MONGODB_URL_FILE'],
    [{ MONGODB_URL_FILE: of('url') }, 'MONGODB_URL_FILE must be the path of a file that holds a URL such as mongodb://host:27017/catalog: "h:x" is no host:port'],
    [{ MONGODB_URL_FILE: of('scheme') }, 'MONGODB_URL_FILE must be the path of a file that holds a URL such as mongodb://host:27017/catalog']
  ] as Array<[NodeJS.ProcessEnv, string]>) {
    const refuse = (): unknown => loadConfig(env)
    t.throws(refuse, ConfigError)
    t.throws(refuse, { message: new RegExp(`^${message.replaceAll(/[.*+?^$()[\]]/g, '\\$&')}`) })
    t.throws(refuse, { message: /^(?:(?!hunter2)[^\n])*$/ }, 'one line, without the secret')
  }
})

t.test('a secret in a file and a key set are one too many', async (t) => {
  const folder = testFolder(t, { secret: 'x'.repeat(32) })
  t.throws(() => loadConfig({ AUTH_JWT_SECRET_FILE: join(folder, 'secret'), AUTH_JWKS_URL: 'https://id.example.com/keys' }), /^Set only one of AUTH_JWT_SECRET_FILE and AUTH_JWKS_URL$/)
})

t.test('where traces go', async (t) => {
  t.equal(loadConfig({}).tracing, undefined)
  t.equal(loadConfig({ OTEL_TRACES_SAMPLER: 'always_on', OTEL_TRACES_SAMPLER_ARG: '0.5', OTEL_EXPORTER_OTLP_HEADERS: 'a=b' }).tracing, undefined, 'not at all where no collector is named')
  for (const [endpoint, url] of [
    ['http://otel-collector:4318', 'http://otel-collector:4318/v1/traces'], ['http://otel-collector:4318/', 'http://otel-collector:4318/v1/traces'],
    ['https://otlp.example.com/otlp', 'https://otlp.example.com/otlp/v1/traces'], ['http://[::1]:4318', 'http://[::1]:4318/v1/traces']
  ] as const) t.equal(loadConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }).tracing?.url, url)
  t.match(loadConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' }).tracing, { headers: {}, serviceName: 'merchant-catalog', sampler: 'parentbased_always_on', ratio: 1 })
  const folder = testFolder(t, { headers: 'authorization=Bearer%20t0ken,X-Team=a%2Cb\n' })
  t.match(loadConfig({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318', OTEL_EXPORTER_OTLP_HEADERS_FILE: join(folder, 'headers'), OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25'
  }).tracing, { headers: { authorization: 'Bearer t0ken', 'x-team': 'a,b' }, sampler: 'parentbased_traceidratio', ratio: 0.25 })
})

const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' }
const noHeaders = 'must be a comma-separated list of name=value, values percent-encoded, such as authorization=Bearer%20token'

const wrong: Array<[NodeJS.ProcessEnv, string]> = [
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'otel-collector:4318' }, 'OTEL_EXPORTER_OTLP_ENDPOINT must be a URL such as http://otel-collector:4318'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:port' }, 'OTEL_EXPORTER_OTLP_ENDPOINT must be a URL such as http://otel-collector:4318: it is no URL'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://u:hunter2@c:4318' }, 'OTEL_EXPORTER_OTLP_ENDPOINT must be a URL such as http://otel-collector:4318: it has a user or password; credentials belong into OTEL_EXPORTER_OTLP_HEADERS'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318?key=hunter2' }, 'OTEL_EXPORTER_OTLP_ENDPOINT must be a URL such as http://otel-collector:4318: it has something behind its path, to which /v1/traces is added'],
  ...['hunter2', '=hunter2', 'a=b,hunter2', 'a b=hunter2', 'a=', 'a=%zz', 'a=hunter2%0d%0ahost: b', 'a=b,', 'é=b'].map((text): [NodeJS.ProcessEnv, string] =>
    [{ ...collector, OTEL_EXPORTER_OTLP_HEADERS: text }, `OTEL_EXPORTER_OTLP_HEADERS ${noHeaders}: number ${text.startsWith('a=b,') ? 2 : 1} is none`]),
  [{ ...collector, OTEL_EXPORTER_OTLP_HEADERS: 'a=b', OTEL_EXPORTER_OTLP_HEADERS_FILE: '/x' }, 'Set only one of OTEL_EXPORTER_OTLP_HEADERS and OTEL_EXPORTER_OTLP_HEADERS_FILE'],
  [{ OTEL_TRACES_SAMPLER: 'sometimes' }, 'OTEL_TRACES_SAMPLER must be one of always_on, always_off, traceidratio, parentbased_always_on, parentbased_always_off, parentbased_traceidratio, such as parentbased_traceidratio, not "sometimes"'],
  ...['1.5', '-1', 'half', 'NaN'].map((text): [NodeJS.ProcessEnv, string] =>
    [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: text }, `OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, such as 0.1, not "${text}"`]),
  [{ ...collector, OTEL_TRACES_SAMPLER_ARG: '0.1' }, 'OTEL_TRACES_SAMPLER_ARG means nothing with OTEL_TRACES_SAMPLER parentbased_always_on; set, for example, OTEL_TRACES_SAMPLER=parentbased_traceidratio'],
  [{ OTEL_SERVICE_NAME: 'x'.repeat(256) }, `OTEL_SERVICE_NAME must be at most 255 characters, such as merchant-catalog, not "${'x'.repeat(256)}"`],
  [{ PORT: 'http' }, 'PORT must be a port number from 0 to 65535, such as 4000, not "http"'],
  [{ DRAIN_DELAY_SECONDS: '16' }, 'DRAIN_DELAY_SECONDS must be a number of seconds from 0 to 15, such as 5, not "16"'],
  [{ PORT: '70000' }, 'PORT must be a port number from 0 to 65535, such as 4000, not "70000"'],
  [{ ROLES: 'api,cook' }, 'ROLES must be a comma-separated list of api, worker, sftp, such as api,worker, not "api,cook"'],
  [{ KAFKA_BROKERS: 'broker' }, 'KAFKA_BROKERS must be a comma-separated list of host:port, such as kafka-0:9092,kafka-1:9092, not "broker"'],
  [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be fatal, error, warn, info, debug, trace or silent, not "loud"'],
  [{ EMBEDDED_MONGO: 'postgres' }, 'EMBEDDED_MONGO must be auto, mongod, secantusd-rs or secantusdb, not "postgres"'],
  [{ SFTP_URL: 'sftp://u@h/{vendorId}' }, 'SFTP_PRIVATE_KEY_FILE is required when SFTP_URL is set, for example SFTP_PRIVATE_KEY_FILE=/run/secrets/sftp/key'],
  ...[['sftp://u@h/{vendorId}', '-p 22 h'], ['sftp://u@[::1]:2222/{vendorId}', '-p 2222 ::1']].map(([url, scanned]): [NodeJS.ProcessEnv, string] => [{ SFTP_URL: url, SFTP_PRIVATE_KEY_FILE: 'key' },
    `SFTP_KNOWN_HOSTS_FILE or SFTP_HOST_KEY_FINGERPRINT is required when SFTP_URL is set, for example SFTP_KNOWN_HOSTS_FILE=known_hosts with what ssh-keyscan ${scanned ?? ''} prints, once its operator has confirmed it`]),
  [{ SFTP_URL: 'sftp://u@h/{vendorId}', SFTP_PRIVATE_KEY_FILE: 'key', SFTP_KNOWN_HOSTS_FILE: 'known_hosts', SFTP_HOST_KEY_FINGERPRINT: fingerprint }, 'Set only one of SFTP_KNOWN_HOSTS_FILE and SFTP_HOST_KEY_FINGERPRINT'],
  ...['any', 'SHA256:', `MD5:${'ab:'.repeat(15)}ab`, fingerprint.slice(0, -1), `${fingerprint}=`, `${fingerprint},`].map((text): [NodeJS.ProcessEnv, string] =>
    [{ SFTP_HOST_KEY_FINGERPRINT: text }, `SFTP_HOST_KEY_FINGERPRINT must be a comma-separated list of fingerprints as ssh-keygen -l prints them, such as ${fingerprint}, not "${text}"`]),
  [{ SFTP_HOST_KEY_FILE: 'a,b,c' }, 'SFTP_HOST_KEY_FILE must be the path of an ed25519 private key, or two of them, comma-separated, such as /run/secrets/host_key,/run/secrets/next_host_key, not "a,b,c"'],
  [{ SFTP_HOST_KEY_FILE: 'a', SFTP_URL: 'sftp://u@h/{vendorId}', SFTP_PRIVATE_KEY_FILE: 'key', SFTP_HOST_KEY_FINGERPRINT: fingerprint }, 'SFTP_HOST_KEY_FILE is the built-in server\'s, which SFTP_URL takes the place of: set only one of them'],
  [{ AUTH_JWT_SECRET: 'hunter2' }, 'AUTH_JWT_SECRET must be a secret of at least 32 characters, such as openssl rand -hex 32 prints'],
  ...['http://id.example.com/keys', 'http://127.0.0.1.example.com/keys', 'http://localhost@id.example.com/', 'ftp://localhost/', 'https://'].map((url): [NodeJS.ProcessEnv, string] =>
    [{ AUTH_JWKS_URL: url }, `AUTH_JWKS_URL must be an https URL, or an http URL of this machine (localhost, 127.0.0.1, [::1]), such as https://id.example.com/keys, not "${url}"`]),
  ...['0s', '24', 'h', '1.5h', '-1h'].map((time): [NodeJS.ProcessEnv, string] =>
    [{ AUTH_TOKEN_MAX_AGE: time }, `AUTH_TOKEN_MAX_AGE must be a time such as 15m or 24h, not "${time}"`]),
  [{ RATE_LIMIT_PER_MINUTE: '-1' }, 'RATE_LIMIT_PER_MINUTE must be a number of requests, 0 for no limit, such as 60000, not "-1"'],
  [{ CORS_ORIGINS: '*' }, 'CORS_ORIGINS must be a comma-separated list of origins such as https://dashboard.example.com, not "*"'],
  [{ TRUSTED_PROXIES: '10.0.0.0/33' }, 'TRUSTED_PROXIES must be a comma-separated list of addresses or networks such as 10.0.0.0/8, not "10.0.0.0/33"'],
  [{ SFTP_PENALTY_EXEMPT: 'everyone' }, 'SFTP_PENALTY_EXEMPT must be a comma-separated list of addresses or networks such as 10.0.0.0/8, not "everyone"'],
  ...['sftp.example.com', 'sftp://h:22', 'h:0', 'h:65536', ':22', '::1:22', '[::x]:22', '[1.2.3.4]:22', '-oProxyCommand=x:22', 'h;id:22', 'acme@h:22'].map((text): [NodeJS.ProcessEnv, string] =>
    [{ SFTP_PUBLIC_ADDRESS: text }, `SFTP_PUBLIC_ADDRESS must be a host and a port from 1 to 65535, such as sftp.example.com:22 or [2001:db8::1]:22, not "${text}"`]),
  [{ MIGRATE: 'yes' }, 'MIGRATE must be auto or check, such as check, not "yes"'],
  [{ GRAPHIQL: 'perhaps' }, 'GRAPHIQL must be true or false, not "perhaps"'],
  [{ KAFKA_SECURITY_PROTOCOL: 'ssl' }, 'KAFKA_BROKERS is required when KAFKA_SECURITY_PROTOCOL is set, for example KAFKA_BROKERS=kafka-1.example.com:9093,kafka-2.example.com:9093'],
  [{ KAFKA_SECURITY_PROTOCOL: 'tls' }, 'KAFKA_SECURITY_PROTOCOL must be one of plaintext, ssl, sasl_plaintext, sasl_ssl, such as sasl_ssl, not "tls"'],
  [{ KAFKA_SASL_MECHANISM: 'GSSAPI' }, 'KAFKA_SASL_MECHANISM must be one of PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, OAUTHBEARER, such as SCRAM-SHA-512, not "GSSAPI"'],
  [{ KAFKA_SASL_PASSWORD: 'hunter2', KAFKA_BROKERS: 'k:1' }, 'KAFKA_SASL_PASSWORD means nothing with KAFKA_SECURITY_PROTOCOL plaintext; set, for example, KAFKA_SECURITY_PROTOCOL=sasl_ssl'],
  [{ KAFKA_SSL_CA_FILE: 'ca', KAFKA_BROKERS: 'k:1', KAFKA_SECURITY_PROTOCOL: 'sasl_plaintext' }, 'KAFKA_SSL_CA_FILE means nothing with KAFKA_SECURITY_PROTOCOL sasl_plaintext; set, for example, KAFKA_SECURITY_PROTOCOL=sasl_ssl'],
  [{ KAFKA_SSL_CERTIFICATE_FILE: 'c', KAFKA_BROKERS: 'k:1', KAFKA_SECURITY_PROTOCOL: 'ssl' }, 'KAFKA_SSL_CERTIFICATE_FILE and KAFKA_SSL_KEY_FILE go together; add, for example, KAFKA_SSL_KEY_FILE=/run/secrets/kafka/tls.key'],
  [{ KAFKA_SECURITY_PROTOCOL: 'sasl_ssl', KAFKA_BROKERS: 'k:1' }, 'KAFKA_SASL_MECHANISM is required with KAFKA_SECURITY_PROTOCOL sasl_ssl, for example KAFKA_SASL_MECHANISM=SCRAM-SHA-512'],
  [{ KAFKA_SASL_USERNAME: 'u', KAFKA_SECURITY_PROTOCOL: 'sasl_ssl', KAFKA_SASL_MECHANISM: 'PLAIN', KAFKA_BROKERS: 'k:1' },
    'KAFKA_SASL_PASSWORD or KAFKA_SASL_PASSWORD_FILE is required with KAFKA_SECURITY_PROTOCOL sasl_ssl, for example KAFKA_SASL_PASSWORD_FILE=/run/secrets/kafka/password'],
  [{ KAFKA_SASL_USERNAME: 'u', KAFKA_SASL_PASSWORD: 'hunter2', KAFKA_SASL_PASSWORD_FILE: 'f', KAFKA_SECURITY_PROTOCOL: 'sasl_ssl', KAFKA_SASL_MECHANISM: 'PLAIN', KAFKA_BROKERS: 'k:1' },
    'Set only one of KAFKA_SASL_PASSWORD and KAFKA_SASL_PASSWORD_FILE'],
  [{ KAFKA_TOPIC_PREFIX: 'a b' }, 'KAFKA_TOPIC_PREFIX must be at most 200 letters, digits, dots, dashes and underscores, such as staging., not "a b"'],
  [{ MONGODB_URL: 'postgres://me:secret@h' }, 'MONGODB_URL must be a URL such as mongodb://host:27017/catalog']
]
const mongodbExample = 'mongodb://catalog:p%40ss@db-0.example.com:27017,db-1.example.com:27017/catalog?replicaSet=rs0&tls=true&tlsCAFile=/etc/catalog/ca.pem'
const srvExample = 'mongodb+srv://catalog:p%40ss@cluster.example.com/catalog'
const x509Example = 'mongodb://db-0.example.com:27017,db-1.example.com:27017/catalog?replicaSet=rs0&authMechanism=MONGODB-X509&tls=true&tlsCAFile=/etc/catalog/ca.pem&tlsCertificateKeyFile=/run/secrets/catalog/client.pem'
for (const [url, fault] of [
  ['mongodb://', undefined],
  ['mongodb://ada:pw@/catalog', 'it names no host'],
  ['mongodb://ada:p@ss@h/catalog', 'user and password must be percent-encoded, @ as %40, : as %3A, / as %2F and % as %25'],
  ['mongodb://ada:p/s@h/catalog', 'user and password must be percent-encoded, @ as %40, : as %3A, / as %2F and % as %25'],
  ['mongodb://ada:100%@h/catalog', 'user and password must be percent-encoded, @ as %40, : as %3A, / as %2F and % as %25'],
  ['mongodb://h:port/catalog', '"h:port" is no host:port'],
  ['mongodb+srv://a,b/catalog', 'mongodb+srv takes one host, without a port'],
  ['mongodb+srv://a:27017/catalog', 'mongodb+srv takes one host, without a port'],
  ['mongodb://h/c?w=1', 'w=1 is not possible: what the service has acknowledged is on a majority of the members'],
  ['mongodb://h/c?journal=false', 'journal=false is not possible: what the service has acknowledged is in the journal'],
  ['mongodb://h/c?wtimeoutMS=5', 'wtimeoutMS=5 is not possible: a write that is not acknowledged yet is waited for'],
  ['mongodb://h/c?readPreference=secondary', 'readPreference=secondary is not possible: what was just written has to be read'],
  ['mongodb://h/c?retryWrites=false', 'retryWrites=false is not possible: a write that was cut off is sent again'],
  ['mongodb://h/c?maxPoolSize=5', 'maxPoolSize=5 is not possible: each part of the service has as many connections as it needs'],
  ['mongodb://h/c?readConcernLevel=snapshot', 'readConcernLevel must be local or majority'],
  ['mongodb://h/c?tls=true&tlsInsecure=true', 'tlsInsecure=true is not possible: anybody on the way could read and change everything; give the authority in tlsCAFile'],
  ['mongodb://h/c?tlsCAFile=/nowhere/ca.pem', 'tlsCAFile means nothing without tls=true'],
  ['mongodb://h/c?tls=true&tlsCAFile=/nowhere/ca.pem', 'tlsCAFile=/nowhere/ca.pem cannot be read (ENOENT)'],
  ['mongodb://h/c?tls=true&tlsCAFile=/dev/null', 'tlsCAFile=/dev/null holds no certificate in PEM'],
  ['mongodb://h/c?tls=true&authMechanism=MONGODB-X509', 'authMechanism=MONGODB-X509 needs tls=true and tlsCertificateKeyFile, a file with our certificate and its key'],
  ['mongodb+srv://c.example.com/c?authMechanism=MONGODB-X509', 'authMechanism=MONGODB-X509 needs tls=true and tlsCertificateKeyFile, a file with our certificate and its key'],
  ['mongodb://ada:s3cret@h/c?tls=true&authMechanism=MONGODB-X509&tlsCertificateKeyFile=/dev/null', 'authMechanism=MONGODB-X509 takes no password: the certificate is the login'],
  ['mongodb://h/c?tls=true&authMechanism=MONGODB-X509&tlsCertificateKeyFile=/dev/null&authSource=admin', 'authSource must be $external with authMechanism=MONGODB-X509, or left out'],
  ['mongodb://h/c?tls=true&authMechanism=MONGODB-X509&tlsCertificateKeyFile=/dev/null', 'tlsCertificateKeyFile=/dev/null holds no certificate in PEM']
] as const) wrong.push([{ MONGODB_URL: url }, `MONGODB_URL must be a URL such as mongodb://host:27017/catalog${fault === undefined ? '' : `: ${fault}; one that works is ${url.includes('X509') ? x509Example : url.startsWith('mongodb+srv') ? srvExample : mongodbExample}`}`])

for (const [env, message] of wrong) {
  t.test(`${Object.keys(env)[0]} with a wrong value is refused with one clear line`, async (t) => {
    t.throws(() => loadConfig(env), new ConfigError(message))
  })
}

t.test('each variable is told with a value that works, or with all that there are', async (t) => {
  // What they cannot be without, or beside.
  const beside: NodeJS.ProcessEnv = { KAFKA_BROKERS: 'k:1', KAFKA_SECURITY_PROTOCOL: 'sasl_ssl', KAFKA_SASL_MECHANISM: 'PLAIN', KAFKA_SASL_USERNAME: 'u', KAFKA_SASL_PASSWORD: 'p' }
  for (const [name, expectation] of Object.entries(expectations)) {
    const [, example] = /such as (\S+)$/.exec(expectation) ?? []
    if (example === undefined) t.match(expectation, / or |openssl rand|such as mongodb:/, name)
    else if (!/^(?:SFTP_(?:URL|PRIVATE|KNOWN|HOST_KEY)|KAFKA_SSL_(?:CERT|KEY)|KAFKA_SASL_|MONGODB_URL_FILE|AUTH_JWT_SECRET_FILE|OTEL_EXPORTER_OTLP_HEADERS_FILE)/.test(name)) t.doesNotThrow(() => loadConfig({ ...beside, [name]: example }), `${name}=${example}`)
  }
})
