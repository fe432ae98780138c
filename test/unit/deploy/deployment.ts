/** Reads the files in deploy/, and says what every process in them has to be told. */
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import { parse, parseAllDocuments } from 'yaml'
import { packageRoot } from '../../../src/package-root.js'
import { loadConfig, type Config } from '../../../src/config.js'
import { environmentVariables } from '../../../src/environment.js'
import { testFolder } from '../../support/test-folder.js'

const deploy = join(packageRoot(), 'deploy')
export const deployFile = async (name: string): Promise<string> => await readFile(join(deploy, name), 'utf8')
export const projectFile = (name: string): string => join(packageRoot(), name)

// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Yaml = any

export const compose = async (): Promise<Yaml> => parse(await deployFile('compose.yaml'), { merge: true })

export interface Kustomization { kustomization: Yaml, resources: Yaml[] }

/** Everything that the base names; a file that it forgets is an error. */
export async function kubernetes (): Promise<Kustomization> {
  const kustomization: Yaml = parse(await deployFile('kubernetes/kustomization.yaml'))
  const forgotten = (await readdir(join(deploy, 'kubernetes'))).filter((name) => name !== 'kustomization.yaml' && !kustomization.resources.includes(name))
  if (forgotten.length > 0) throw new Error(`kustomization.yaml does not name ${forgotten.join(', ')}`)
  const texts = await Promise.all(kustomization.resources.map(async (name: string) => await deployFile(`kubernetes/${name}`)))
  const resources = texts.flatMap((text) => parseAllDocuments(text).map((document) => {
    const [error] = document.errors
    if (error !== undefined) throw new Error(error.message)
    return document.toJS()
  }))
  return { kustomization, resources }
}

/** The image's own variables: `ENV NAME=value \ NAME=value`. */
export async function imageEnvironment (): Promise<Record<string, string>> {
  const [, block = ''] = /^ENV ((?:.*\\\n)*.*)$/m.exec(await deployFile('Dockerfile')) ?? []
  return Object.fromEntries(block.replaceAll('\\\n', ' ').trim().split(/\s+/).map((pair) => pair.split('=') as [string, string]))
}

/** Stands for what only the operator knows; as the service would like it. */
export const secrets: Record<string, string> = { MONGODB_URL: 'mongodb://user:secret@db-0,db-1/catalog', AUTH_JWT_SECRET: 'x'.repeat(32) }

/**
 * As the process is told, with files of these secrets in the place of those that it finds mounted. `mounted` are the paths of the latter, each with the
 * name of the secret in it.
 */
export function withMountedSecrets (t: Test, given: Record<string, string>, mounted: ReadonlyMap<string, string>): Record<string, string> {
  const folder = testFolder(t, Object.fromEntries(Object.entries(secrets).map(([name, value]) => [name, `${value}\n`])))
  return Object.fromEntries(Object.entries(given).map(([name, value]) => {
    const secret = name.replace(/_FILE$/, '')
    if (secret === name || !Object.hasOwn(secrets, secret)) return [name, value]
    t.equal(mounted.get(value), secret, `${name}: that secret is mounted there`)
    return [name, join(folder, secret)]
  }))
}

/** Node's and glibc's. */
const outsideOurs = ['NODE_ENV', 'MALLOC_ARENA_MAX', 'MALLOC_MMAP_THRESHOLD_', 'MALLOC_TRIM_THRESHOLD_', 'UV_THREADPOOL_SIZE']

/** One process of production: no variable that means nothing, none that is missing, nothing embedded. */
export function isConfigured (t: Test, what: string, given: Record<string, string>): Config {
  const unknown = Object.keys(given).filter((name) => !environmentVariables.includes(name) && !outsideOurs.includes(name))
  t.strictSame(unknown, [], `${what}: unknown variables`)
  const config = loadConfig(given)
  const { roles } = config
  const needed: Record<string, unknown> = {
    ROLES: given['ROLES'],
    MONGODB_URL: config.mongodbUrl,
    OPS_PORT: config.opsPort,
    ...roles.has('api') || roles.has('worker') ? { KAFKA_BROKERS: config.kafka.brokers } : {},
    ...roles.has('sftp') ? {} : { SFTP_URL: config.sftpUrl, SFTP_PRIVATE_KEY_FILE: config.sftpPrivateKeyFile, 'SFTP_KNOWN_HOSTS_FILE or SFTP_HOST_KEY_FINGERPRINT': config.sftpHostKeys },
    ...roles.has('api') ? { 'AUTH_JWT_SECRET or AUTH_JWKS_URL': config.authJwtSecret ?? config.authJwksUrl } : {}
  }
  t.strictSame(Object.keys(needed).filter((name) => needed[name] === undefined), [], `${what}: missing variables`)
  t.equal(config.host, '0.0.0.0', `${what}: can be reached from outside of its container`)
  return config
}
