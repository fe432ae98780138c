/** A broker of one that anybody may use in plain text: Apache Kafka in KRaft mode, broker and controller in one process. */
import { join } from 'node:path'
import { freePort } from './free-port.js'
import { createKafkaProcess, newClusterId, type KafkaProcess } from './kafka-process.js'

export interface Kafka extends KafkaProcess {
  /** `host:port`, the same after every start. */
  brokers: string
}

interface Ports { broker: number, controller: number }

/** A formatted broker that does not run yet. `folder` is made, and holds all that it writes. */
export async function createKafka (folder: string): Promise<Kafka> {
  const ports = { broker: await freePort(), controller: await freePort() }
  const properties = propertiesOf(ports, join(folder, 'data'))
  const broker = await createKafkaProcess({ folder, properties, port: ports.broker, clusterId: await newClusterId() })
  return { brokers: `127.0.0.1:${ports.broker}`, ...broker }
}

const propertiesOf = ({ broker, controller }: Ports, dataPath: string): string => `
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${controller}
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://127.0.0.1:${broker},CONTROLLER://127.0.0.1:${controller}
advertised.listeners=PLAINTEXT://127.0.0.1:${broker}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
inter.broker.listener.name=PLAINTEXT
log.dirs=${dataPath}
num.partitions=4
offsets.topic.num.partitions=4
offsets.topic.replication.factor=1
transaction.state.log.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
`
