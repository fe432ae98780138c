/**
 * A MongoDB server as companies run it: TLS with an authority of their own, which clients have to show a certificate of, and users with roles. It is SecantusDB in Python, the
 * one that is to be had here which knows all of these; it checks each command against the user's roles.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MongoClient, type Document } from 'mongodb'
import { startGuardedChild } from '../../../src/embedded/guarded-child.js'
import { findMongodb, serverFlags } from '../../../src/embedded/find-mongodb.js'
import { createCertificateAuthority } from './certificates.js'
import { freePort } from './free-port.js'
import { untilListening } from './until-listening.js'

export interface SecuredMongodb {
  url (user: string, options?: { password?: string, caFile?: string }): string
  caFile: string
  stop (): Promise<void>
}

export const password = 'p@ss:w/rd%'

/** `folder` is made. `commands` are run in `catalog` as by an administrator, before logins are asked for. */
export async function startSecuredMongodb (folder: string, commands: readonly Document[]): Promise<SecuredMongodb> {
  await mkdir(join(folder, 'certificates'), { recursive: true })
  const authority = await createCertificateAuthority(join(folder, 'certificates'))
  const server = await authority.issue('mongodb')
  const client = await authority.issue('catalog')
  const pair = join(folder, 'client.pem')
  await writeFile(pair, `${await readFile(client.certificateFile, 'utf8')}${await readFile(client.keyFile, 'utf8')}`)
  const program = await findMongodb({ wanted: 'secantusdb', writtenBy: undefined, env: process.env })
  const emptyConfigPath = join(folder, 'empty.toml')
  await writeFile(emptyConfigPath, '')
  const port = await freePort()
  const start = async (...flags: string[]): Promise<{ stop: () => Promise<void> }> => {
    const child = await startGuardedChild({
      command: program.command,
      args: [...program.args, ...serverFlags(program.kind, { port, dataPath: join(folder, 'data'), emptyConfigPath }), ...flags],
      env: process.env,
      cwd: folder,
      logPath: join(folder, 'mongodb.log'),
      graceSeconds: 15
    })
    await untilListening(child, port, 'SecantusDB')
    return child
  }
  const open = await start()
  const admin = new MongoClient(`mongodb://127.0.0.1:${port}/catalog?directConnection=true`)
  for (const command of commands) await admin.db('catalog').command(command)
  await admin.close()
  await open.stop()
  const { stop } = await start('--auth', '--tls-cert-file', server.certificateFile, '--tls-key-file', server.keyFile, '--tls-ca-file', authority.caFile, '--tls-require-client-cert')
  return {
    url: (user, { password: given = password, caFile = authority.caFile } = {}) =>
      `mongodb://${user}:${encodeURIComponent(given)}@127.0.0.1:${port}/catalog?directConnection=true&tls=true&tlsCAFile=${caFile}&tlsCertificateKeyFile=${pair}`,
    caFile: authority.caFile,
    stop
  }
}
