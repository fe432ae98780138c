import t, { type Test } from 'tap'
import { loadConfig } from '../../../src/config.js'
import { workerFlags } from '../../support/service-flags.js'
import { compose, imageEnvironment, isConfigured, withMountedSecrets, type Yaml } from './deployment.js'

const file = await compose()
const services = Object.entries<Yaml>(file.services)
const ownImage = services.filter(([, { image }]) => image === 'merchant-catalog')
/** Those that run on. */
const ours = ownImage.filter(([name]) => name !== 'migrate')
const imageEnv = await imageEnvironment()

/** A name alone is what the operator may set. */
const environmentOf = ({ environment }: Yaml): Record<string, string> => ({
  ...imageEnv,
  ...Object.fromEntries(Object.entries<string | null>(environment).flatMap(([name, value]) => value === null ? [] : [[name, value]]))
})

/** What a service finds in /run/secrets, by the variable in which the operator names the file. */
const secretsMounted = (service: Yaml): Map<string, string> => new Map((service.secrets ?? []).map((name: string) =>
  [`/run/secrets/${name}`, /^\$\{(\w+)_FILE:\?.+\}$/.exec(file.secrets[name].file)?.[1]]))

const environmentIn = (t: Test, service: Yaml): Record<string, string> => withMountedSecrets(t, environmentOf(service), secretsMounted(service))

t.test('API, worker and SFTP are apart, and two workers run', (t) => {
  t.strictSame(ours.map(([, { environment }]) => environment.ROLES).sort(), ['api', 'sftp', 'worker'])
  t.equal(file.services.worker.deploy.replicas, 2)
  t.end()
})

t.test('only the worker is started in a way of its own, the one that tests and benches use', (t) => {
  t.strictSame(ours.filter(([, { command }]) => command !== undefined).map(([name]) => name), ['worker'])
  t.strictSame(file.services.worker.command, ['node', ...workerFlags, 'dist/src/bin/serve.js'])
  t.end()
})

for (const [name, service] of ours) {
  t.test(`${name}: the environment is whole and right`, (t) => {
    const config = isConfigured(t, name, environmentIn(t, service))
    const open = (service.ports ?? []).map((mapping: string) => Number(mapping.split(':').at(-1)))
    t.strictSame(open, config.roles.has('api') ? [config.port] : config.roles.has('sftp') ? [config.sftpPort] : [], 'its published port is the one it listens on')
    t.end()
  })

  t.test(`${name}: what it needs is ready before it starts`, (t) => {
    const needed = name === 'sftp' ? ['migrate', 'mongodb'] : ['kafka', 'migrate', 'mongodb', 'sftp']
    t.strictSame(Object.keys(service.depends_on).sort(), needed)
    for (const [part, { condition }] of Object.entries<Yaml>(service.depends_on)) {
      t.equal(condition, part === 'migrate' ? 'service_completed_successfully' : 'service_healthy', part)
    }
    t.ok(Number.parseInt(service.stop_grace_period) > 30, 'it may drain')
    t.end()
  })
}

t.test('the database is migrated by the image\'s own command line, once it is there, and by nobody else', (t) => {
  const { command, depends_on: needs, restart, environment } = file.services.migrate
  t.strictSame(command, ['node', 'dist/src/bin/catalog.js', 'migrate'])
  t.strictSame(needs, { mongodb: { condition: 'service_healthy' } })
  t.equal(restart, 'on-failure')
  t.equal(loadConfig(environmentOf({ environment })).mongodbUrl, environmentOf(file.services.api)['MONGODB_URL'])
  for (const [name, service] of ours) t.equal(loadConfig(environmentIn(t, service)).migrate, 'check', name)
  t.end()
})

t.test('no secret is in the environment, and the API alone has the one that signs tokens', (t) => {
  for (const [name, { environment }] of ours) t.notOk(Object.hasOwn(environment, 'AUTH_JWT_SECRET'), name)
  t.strictSame(services.filter(([, { secrets }]) => secrets !== undefined).map(([name, { secrets }]) => [name, secrets]), [['api', Object.keys(file.secrets)]])
  t.end()
})

t.test('every host that an address names is a service', (t) => {
  const hosts = ours.flatMap(([, service]) => Object.values(environmentOf(service)).flatMap((value) =>
    Array.from(value.matchAll(/(?:mongodb:\/\/|@|^)([a-z]+):\d+/g), ([, host]) => host)))
  t.ok(hosts.length > 0)
  for (const host of hosts) t.ok(host !== undefined && Object.hasOwn(file.services, host), String(host))
  t.end()
})

t.test('only the API is told which proxies to believe, and only what the operator says', (t) => {
  const told = ours.filter(([, { environment }]) => 'TRUSTED_PROXIES' in environment).map(([name, { environment }]) => [name, environment.TRUSTED_PROXIES])
  t.strictSame(told, [['api', null]])
  t.end()
})

t.test('MongoDB is a replica set of version 8, Kafka runs without ZooKeeper, and both tell their health', (t) => {
  const { mongodb, kafka } = file.services
  t.match(mongodb, { image: /^mongo:8/, command: ['--replSet', 'rs0', '--bind_ip_all'] })
  t.match(mongodb.healthcheck.test.at(-1), 'rs.initiate')
  t.match(kafka.environment, { KAFKA_PROCESS_ROLES: 'broker,controller' })
  t.ok(kafka.healthcheck)
  t.end()
})

t.test('every volume that is mounted is declared, and the other way round', (t) => {
  const mounted = new Set(services.flatMap(([, { volumes = [] }]) => volumes.map((mount: string) => mount.split(':')[0])))
  t.strictSame([...mounted].sort(), Object.keys(file.volumes).sort())
  t.end()
})

t.test('nobody has a capability or may gain one, and what is ours writes to its volumes only', (t) => {
  for (const [name, service] of services) {
    t.strictSame([service.cap_drop, service.security_opt, service.cap_add, service.privileged], [['ALL'], ['no-new-privileges:true'], undefined, undefined], name)
  }
  for (const [name, { read_only: isReadOnly, tmpfs, deploy }] of ownImage) {
    t.strictSame([isReadOnly, tmpfs], [true, ['/tmp']], name)
    t.ok(deploy.resources.limits.memory, `${name} is bounded in memory`)
  }
  t.end()
})

for (const [network, server] of Object.entries({ database: 'mongodb', queue: 'kafka', files: 'sftp' })) {
  t.test(`the network "${network}" leads nowhere, and is shared by ${server} and those that are told its address`, (t) => {
    const isTold = ({ environment = {} }: Yaml): boolean => Object.values(environment).some((value) => new RegExp(`(?://|@|^)${server}:\\d`).test(String(value)))
    t.equal(file.networks[network].internal, true)
    const members = services.filter(([, { networks }]) => networks.includes(network)).map(([name]) => name)
    t.strictSame(members, services.filter(([name, service]) => name === server || isTold(service)).map(([name]) => name))
    t.end()
  })
}

t.test('only workers have a way out', (t) => {
  const leadsOut = (name: string): boolean => file.networks[name].internal !== true && file.networks[name].driver_opts?.['com.docker.network.bridge.enable_ip_masquerade'] !== 'false'
  t.strictSame(services.filter(([, { networks }]) => networks.some(leadsOut)).map(([name]) => name), ['worker'])
  t.strictSame(services.filter(([, { ports }]) => ports !== undefined).map(([name]) => name).sort(), ['api', 'sftp'])
  t.end()
})
