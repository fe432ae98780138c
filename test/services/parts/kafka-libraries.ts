/** Apache Kafka's own jars and what they need, from Maven Central, into the cache folder. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findOnPath } from '../../../src/embedded/search-path.js'
import { cached } from './cache.js'
import { runCommand } from './run-command.js'

const version = '4.1.0'
const copyDependencies = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies'
/** Of all jars together: what we run is what we have tried, whatever a mirror or a proxy hands out. */
const pinnedDigest = '0249fea909cf161744b3447d3f869be26447070bc4e9fb69e8d8fb528fe1c533'
const oldestJava = 17

// kafka-tools: kafka-topics, which does without the rest of it. slf4j-simple: without a binding Kafka logs nothing, not even why it does not start.
const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>local</groupId><artifactId>kafka-runtime</artifactId><version>1</version><packaging>pom</packaging>
<dependencies>
<dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>${version}</version></dependency>
<dependency><groupId>org.apache.kafka</groupId><artifactId>kafka-tools</artifactId><version>${version}</version>
<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions></dependency>
<dependency><groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId><version>1.7.36</version></dependency>
</dependencies></project>
`

export interface KafkaLibraries {
  java: string
  /** A folder of jars. */
  folder: string
}

/** Fetches them (43 MB) when they are not there. Rejects with what to install when Java or Maven is missing. */
export async function kafkaLibraries (): Promise<KafkaLibraries> {
  const java = await findJava()
  const folder = await cached(`kafka-${version}-with-tools`, async (folder) => {
    const maven = await findOnPath('mvn', process.env)
    if (maven === undefined) throw new Error('Apache Kafka is fetched with Maven: put mvn on the PATH (Debian: apt-get install maven)')
    await mkdir(join(folder, 'jars'))
    await writeFile(join(folder, 'pom.xml'), pom)
    await runCommand({
      what: `fetching Apache Kafka ${version}`,
      command: maven,
      // -C: a jar whose checksum is wrong is an error, not a warning.
      args: ['-q', '-B', '-C', '-f', 'pom.xml', copyDependencies, '-DincludeScope=runtime', `-DoutputDirectory=${join(folder, 'jars')}`],
      cwd: folder,
      logPath: join(folder, 'maven.log'),
      timeoutMs: 10 * 60_000
    })
    const digest = await digestOf(join(folder, 'jars'))
    if (digest !== pinnedDigest) throw new Error(`The jars of Apache Kafka ${version} are not the expected ones: their digest is ${digest}`)
  })
  return { java, folder: join(folder, 'jars') }
}

async function findJava (): Promise<string> {
  const java = await findOnPath('java', process.env)
  const said = java === undefined ? '' : (await promisify(execFile)(java, ['-version'])).stderr
  const major = Number(/version "(\d+)/.exec(said)?.[1] ?? 0)
  if (java === undefined || major < oldestJava) {
    throw new Error(`Apache Kafka needs Java ${oldestJava} or newer on the PATH (Debian: apt-get install default-jre-headless)`)
  }
  return java
}

async function digestOf (folder: string): Promise<string> {
  const digest = createHash('sha256')
  for (const name of (await readdir(folder)).sort()) {
    digest.update(`${name} ${createHash('sha256').update(await readFile(join(folder, name))).digest('hex')}\n`)
  }
  return digest.digest('hex')
}
