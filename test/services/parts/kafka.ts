/** A broker of one: Apache Kafka in KRaft mode, broker and controller in one process. */
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startGuardedChild, type GuardedChild } from '../../../src/embedded/guarded-child.js'
import { freePort } from './free-port.js'
import { kafkaLibraries } from './kafka-libraries.js'
import { untilListening } from './until-listening.js'

export interface Kafka {
  /** `host:port`, the same after every start. */
  brokers: string
  start (): Promise<void>
  /** In good order, as an operator does it; nothing when it does not run. */
  stop (): Promise<void>
  /** kill -9 */
  kill (): Promise<void>
}

interface Ports { broker: number, controller: number }

/** A formatted broker that does not run yet. `folder` is made, and holds all that it writes. */
export async function createKafka (folder: string): Promise<Kafka> {
  const { java, folder: jars } = await kafkaLibraries()
  const ports = { broker: await freePort(), controller: await freePort() }
  const configPath = join(folder, 'server.properties')
  const storageTool = ['-cp', `${jars}/*`, '-Xmx128m', 'kafka.tools.StorageTool']
  await mkdir(folder, { recursive: true })
  await writeFile(configPath, propertiesOf(ports, join(folder, 'data')))
  const { stdout: clusterId } = await promisify(execFile)(java, [...storageTool, 'random-uuid'])
  await promisify(execFile)(java, [...storageTool, 'format', '--cluster-id', clusterId.trim(), '--config', configPath])

  let child: GuardedChild | undefined
  return {
    brokers: `127.0.0.1:${ports.broker}`,
    async start () {
      child = await startGuardedChild({
        command: java,
        // Small and quick to start; a test broker has little to do.
        args: ['-Xms256m', '-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
          '-cp', `${jars}/*`, 'kafka.Kafka', configPath],
        env: process.env,
        cwd: folder,
        logPath: join(folder, 'kafka.log'),
        graceSeconds: 15
      })
      await untilListening(child, ports.broker, 'Apache Kafka')
    },
    async stop () {
      await child?.stop()
    },
    async kill () {
      if (child === undefined || child.hasExited()) return
      process.kill(child.pid, 'SIGKILL')
      await child.exited
    }
  }
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
