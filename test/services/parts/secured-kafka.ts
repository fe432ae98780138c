/**
 * Apache Kafka as companies run it: TLS with an authority of their own, SCRAM-SHA-512, an authorizer that refuses what nobody has granted,
 * no automatic topics. Brokers and controllers talk in plain text on loopback, as whom the authorizer lets do everything.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createCertificateAuthority } from './certificates.js'
import { freePort } from './free-port.js'
import { createKafkaProcess, newClusterId, runKafkaTool, type KafkaProcess } from './kafka-process.js'

export interface SecuredKafka {
  /** One for each broker, not running yet. */
  nodes: readonly KafkaProcess[]
  /** The listener with SASL_SSL, of all brokers. */
  brokers: string
  /** The listener for administrators, in plain text; whoever comes by it may do everything. */
  adminBrokers: string
  caFile: string
  /** Of the user `catalog`. */
  password: string
  /** What a service is told that logs in as this user. */
  env: Record<string, string>
  /**
   * Runs a line as an administrator does, whose `kafka-topics` and `kafka-acls` are on the PATH; rejects with what it said. Addresses of the
   * listener with SASL_SSL are replaced by those for administrators.
   */
  administer (line: string): Promise<string>
  /**
   * Grants the user, on topics and groups whose names begin with `names`, what docs/operations.md lists for a service of all roles that makes its topics, and what certify needs besides to remove
   * its own. The brokers run.
   */
  allow (names: string): Promise<void>
  /** The certificate that brokers show from their next start on. */
  useCertificate (options?: { expired?: boolean }): Promise<void>
  /** All of them. */
  start (): Promise<void>
  stop (): Promise<void>
}

export const securedUser = 'catalog'

interface Node { id: number, client: number, internal: number, controller: number }

/** `folder` is made, and holds all that is written. */
export async function createSecuredKafka (folder: string, { nodes: count = 1 }: { nodes?: number } = {}): Promise<SecuredKafka> {
  await mkdir(join(folder, 'certificates'), { recursive: true })
  const authority = await createCertificateAuthority(join(folder, 'certificates'))
  const keystore = join(folder, 'broker.pem')
  const useCertificate: SecuredKafka['useCertificate'] = async (options) => {
    const { keyFile, certificateFile } = await authority.issue('broker', options)
    await writeFile(keystore, `${await readFile(keyFile, 'utf8')}${await readFile(certificateFile, 'utf8')}`)
  }
  await useCertificate()

  const password = 'pass=word-of-the-test'
  const clusterId = await newClusterId()
  const all: Node[] = []
  for (let id = 1; id <= count; id++) all.push({ id, client: await freePort(), internal: await freePort(), controller: await freePort() })
  const nodes = await Promise.all(all.map(async (node) => {
    const path = join(folder, `node-${node.id}`)
    const properties = propertiesOf({ node, all, dataPath: join(path, 'data'), keystore, caFile: authority.caFile })
    return await createKafkaProcess({ folder: path, properties, port: node.client, clusterId, scram: [`SCRAM-SHA-512=[name=${securedUser},password=${password}]`] })
  }))
  const brokers = all.map(({ client }) => `127.0.0.1:${client}`).join(',')
  const adminBrokers = all.map(({ internal }) => `127.0.0.1:${internal}`).join(',')
  const administer: SecuredKafka['administer'] = async (line) => {
    const [tool = '', ...args] = line.replaceAll(brokers, adminBrokers).split(' ')
    const mainClass = tools[tool]
    if (mainClass === undefined) throw new Error(`${tool} is no tool of Kafka's that is known here`)
    const withoutConfig = args.filter((arg, index) => arg !== '--command-config' && args[index - 1] !== '--command-config')
    return await runKafkaTool(mainClass, withoutConfig)
  }
  return {
    nodes,
    brokers,
    adminBrokers,
    caFile: authority.caFile,
    password,
    useCertificate,
    env: {
      KAFKA_BROKERS: brokers,
      KAFKA_SECURITY_PROTOCOL: 'sasl_ssl',
      KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512',
      KAFKA_SASL_USERNAME: securedUser,
      KAFKA_SASL_PASSWORD: password,
      KAFKA_SSL_CA_FILE: authority.caFile
    },
    administer,
    async allow (names) {
      const allow = `kafka-acls --bootstrap-server ${brokers} --add --allow-principal User:${securedUser}`
      await administer(`${allow} --operation Create --operation Alter --operation Delete --operation Read --operation Write --topic ${names} --resource-pattern-type prefixed`)
      await administer(`${allow} --operation Read --group ${names} --resource-pattern-type prefixed`)
    },
    start: async () => { await Promise.all(nodes.map(async (node) => { await node.start() })) },
    stop: async () => { await Promise.all(nodes.map(async (node) => { await node.stop() })) }
  }
}

const tools: Record<string, string> = { 'kafka-topics': 'org.apache.kafka.tools.TopicCommand', 'kafka-acls': 'org.apache.kafka.tools.AclCommand' }

interface Properties { node: Node, all: readonly Node[], dataPath: string, keystore: string, caFile: string }

function propertiesOf ({ node, all, dataPath, keystore, caFile }: Properties): string {
  const replicas = all.length
  const inSync = Math.max(1, replicas - 1)
  return `
process.roles=broker,controller
node.id=${node.id}
controller.quorum.voters=${all.map(({ id, controller }) => `${id}@127.0.0.1:${controller}`).join(',')}
controller.listener.names=CONTROLLER
listeners=INTERNAL://127.0.0.1:${node.internal},CONTROLLER://127.0.0.1:${node.controller},CLIENT://127.0.0.1:${node.client}
advertised.listeners=INTERNAL://127.0.0.1:${node.internal},CLIENT://127.0.0.1:${node.client}
listener.security.protocol.map=INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT,CLIENT:SASL_SSL
inter.broker.listener.name=INTERNAL
sasl.enabled.mechanisms=SCRAM-SHA-512
listener.name.client.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
ssl.keystore.type=PEM
ssl.keystore.location=${keystore}
ssl.truststore.type=PEM
ssl.truststore.location=${caFile}
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:ANONYMOUS
allow.everyone.if.no.acl.found=false
auto.create.topics.enable=false
log.dirs=${dataPath}
num.partitions=4
default.replication.factor=${replicas}
min.insync.replicas=${inSync}
offsets.topic.num.partitions=4
offsets.topic.replication.factor=${replicas}
transaction.state.log.num.partitions=4
transaction.state.log.replication.factor=${replicas}
transaction.state.log.min.isr=${inSync}
group.initial.rebalance.delay.ms=0
`
}
