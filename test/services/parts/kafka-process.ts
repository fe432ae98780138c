/** One broker of Apache Kafka as a process: formatted once, then started and ended as often as a test likes. */
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startGuardedChild, type GuardedChild } from '../../../src/embedded/guarded-child.js'
import { kafkaLibraries } from './kafka-libraries.js'
import { untilListening } from './until-listening.js'

export interface KafkaProcess {
  start (): Promise<void>
  /** In good order, as an operator does it; nothing when it does not run. */
  stop (): Promise<void>
  /** kill -9 */
  kill (): Promise<void>
}

export interface KafkaProcessOptions {
  /** Is made, and holds all that it writes; `log.dirs` belongs in it. */
  folder: string
  properties: string
  /** The port that it listens on last. */
  port: number
  clusterId: string
  /** Users that the cluster begins with, such as `SCRAM-SHA-512=[name=a,password=b]`. */
  scram?: readonly string[]
}

/** What Kafka's own command lines do, each in a virtual machine of its own (a second). Resolves with stdout; rejects with what it said. */
export async function runKafkaTool (mainClass: string, args: readonly string[]): Promise<string> {
  const { java, folder: jars } = await kafkaLibraries()
  const { stdout } = await promisify(execFile)(java, ['-cp', `${jars}/*`, '-Xmx128m', '-XX:TieredStopAtLevel=1', '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn', mainClass, ...args])
  return stdout
}

const storageTool = 'kafka.tools.StorageTool'

export const newClusterId = async (): Promise<string> => (await runKafkaTool(storageTool, ['random-uuid'])).trim()

/** A formatted broker that does not run yet. */
export async function createKafkaProcess ({ folder, properties, port, clusterId, scram = [] }: KafkaProcessOptions): Promise<KafkaProcess> {
  const { java, folder: jars } = await kafkaLibraries()
  const configPath = join(folder, 'server.properties')
  await mkdir(folder, { recursive: true })
  await writeFile(configPath, properties)
  await runKafkaTool(storageTool, ['format', '--cluster-id', clusterId, '--config', configPath, ...scram.flatMap((user) => ['--add-scram', user])])

  let child: GuardedChild | undefined
  return {
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
      await untilListening(child, port, 'Apache Kafka')
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
