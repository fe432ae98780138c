/** Where merchants' files are: on an external SFTP server, or on the built-in one. */
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config, SftpAddress } from '../config.js'
import { serviceUser } from '../domain/access.js'
import type { EmbeddedParts } from '../embedded/embedded-parts.js'
import { fatal } from '../errors.js'
import { startThreadedSftpServer } from '../sftp/threaded-server.js'
import { readHostKeyCheck } from '../sources/host-keys.js'
import type { SftpFilesOptions } from '../sources/sftp-files.js'
import { parseSftpUrl } from '../sources/sftp-url.js'
import type { SftpThreadData } from './sftp-thread.js'

/** Without a key that the SFTP server may show no file could ever be read: better told now than by every import. */
export async function checkSftpHostKeys ({ sftpUrl, sftpHostKeys }: Config): Promise<void> {
  if (sftpUrl === undefined || sftpHostKeys === undefined) return
  const { host, port } = parseSftpUrl(sftpUrl)
  await readHostKeyCheck(sftpHostKeys, host, port).catch((error: Error) => {
    throw fatal(`SFTP_KNOWN_HOSTS_FILE cannot be used: ${error.message}`)
  })
}

export interface Sftp {
  address: string
  client: Omit<SftpFilesOptions, 'log'>
  /** Where merchants reach it; null: it is not known. */
  publicAddress: SftpAddress | null
  /** Of the built-in server, where it is this process's. */
  check?: () => Promise<void>
}

interface StartingSftp {
  config: Config
  log: Logger
  onStop: (stop: () => Promise<void>) => void
  parts: EmbeddedParts
  mongodbUrl: string
}

/** The server of SFTP_URL; else the built-in one, of this process or of another on its DATA_DIR. */
export async function startSftp ({ config, log, onStop, parts, mongodbUrl }: StartingSftp): Promise<Sftp> {
  const { sftpUrl, sftpPrivateKeyFile, sftpHostKeys, sftpPublicAddress: publicAddress = null } = config
  if (sftpUrl !== undefined && sftpPrivateKeyFile !== undefined && sftpHostKeys !== undefined) {
    return { address: new URL(sftpUrl).host, publicAddress, client: { url: sftpUrl, privateKeyFile: sftpPrivateKeyFile, hostKeys: sftpHostKeys } }
  }
  const folder = join(config.dataDir, 'sftp')
  const serviceKeyFile = join(folder, 'service_key')
  const knownHostsFile = join(folder, 'known_hosts')
  const client = (address: string): Sftp['client'] =>
    ({ url: `sftp://${serviceUser}@${address}/{vendorId}`, privateKeyFile: serviceKeyFile, hostKeys: { knownHostsFile } })
  if (!config.roles.has('sftp')) {
    const address = (await parts.addresses())['sftp'] ?? `${config.sftpHost}:${config.sftpPort}`
    return { address, publicAddress, client: client(address) }
  }
  const server = await startThreadedSftpServer({
    entry: new URL('./sftp-thread.js', import.meta.url),
    dataFor: (port): SftpThreadData => ({
      mongodbUrl,
      logLevel: config.logLevel,
      server: {
        host: config.sftpHost,
        port,
        rootDir: join(folder, 'vendors'),
        limits: { maxVendorBytes: config.sftpQuotaBytes, penaltyExempt: config.sftpPenaltyExempt },
        hostKeys: config.sftpHostKeyFiles === undefined ? { made: join(folder, 'host_key') } : { given: config.sftpHostKeyFiles },
        serviceKeyFile,
        knownHostsFile
      }
    }),
    port: config.sftpPort,
    log
  })
  onStop(server.close)
  log.info({ hostKey: server.hostKeyFingerprint, otherHostKeys: server.otherHostKeyFingerprints }, 'the SFTP server shows this host key')
  const address = `${server.address.host}:${server.address.port}`
  await parts.announce({ sftp: address })
  return { address, publicAddress: publicAddress ?? { host: null, port: server.address.port }, client: client(address), check: async () => { server.check() } }
}
