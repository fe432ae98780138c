/**
 * The built-in SFTP server: merchants upload to it, the worker reads from it through the same client as from any other.
 *
 * It owns its TCP sockets and hands them to ssh2 one by one, because the bounds that matter before a login (how many
 * strangers, for how long) and the backpressure afterwards are a matter of the socket, which ssh2 keeps to itself.
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import ssh2, { type Algorithms } from 'ssh2'
import type { Logger } from 'pino'
import { createAuthenticator, type FindVendorKey } from './authentication.js'
import { serveConnection, type ServedConnection } from './connection.js'
import { createAdmission } from './admission.js'
import { serviceUser, sftpSoftware } from '../domain/access.js'
import { fingerprintOf } from '../domain/ssh-public-key.js'
import { announceHostKeys } from './host-key-announcement.js'
import { createJail } from './jail.js'
import { loadKey, loadOrCreateKey, writeKnownHosts, writePublicKey } from './key-pair.js'
import { watchKeys, type FindKeyOwners } from './key-watch.js'
import { removeLeftovers } from './leftovers.js'
import { defaultLimits, type SftpLimits } from './limits.js'
import { createPenalties } from './penalties.js'
import { createQuotas } from './quotas.js'

/**
 * Files with ed25519 private keys. `made` when it is missing; or `given`, of which the first is shown and the others are those before it or after it: own clients
 * believe them all, so that one can take the other's place.
 */
export type HostKeyFiles = { made: string } | { given: readonly string[] }

export interface SftpServerOptions {
  host: string
  /** 0 = any free port. */
  port: number
  /** One folder per vendor; made when missing. */
  rootDir: string
  hostKeys: HostKeyFiles
  /** A private key, ed25519, made when missing. Its public half is written beside it, with `.pub`. */
  serviceKeyFile: string
  /** What the service's own clients believe: an OpenSSH known_hosts with this server's keys alone. Written anew at each start. */
  knownHostsFile: string
  findVendorKey: FindVendorKey
  findKeyOwners: FindKeyOwners
  limits?: Partial<SftpLimits>
  log: Logger
}

export interface SftpServer {
  address: { host: string, port: number }
  /** `SHA256:…`, what a client is asked to trust. */
  hostKeyFingerprint: string
  /** Of the other keys that were given. */
  otherHostKeyFingerprints: readonly string[]
  /** Stops accepting, ends the sessions, discards unfinished uploads. Bounded by `limits.closeTimeoutMs`. */
  close (): Promise<void>
}

/** What every maintained client speaks. No compression: it costs the server memory and time before anything is known of a client. */
const algorithms: Algorithms = {
  kex: [
    'curve25519-sha256', 'curve25519-sha256@libssh.org', 'ecdh-sha2-nistp256', 'ecdh-sha2-nistp384', 'ecdh-sha2-nistp521',
    'diffie-hellman-group14-sha256', 'diffie-hellman-group16-sha512'
  ],
  cipher: [
    'aes128-gcm@openssh.com', 'aes256-gcm@openssh.com', 'chacha20-poly1305@openssh.com',
    'aes128-ctr', 'aes192-ctr', 'aes256-ctr'
  ],
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512'],
  compress: ['none']
}

/** Listens; rejects when the port is taken or a key file cannot be used. */
export async function createSftpServer (options: SftpServerOptions): Promise<SftpServer> {
  const { log, findVendorKey, findKeyOwners } = options
  const limits = { ...defaultLimits, ...options.limits }
  const [hostKey, ...otherHostKeys] = await loadHostKeys(options.hostKeys, log)
  const service = await loadOrCreateKey(options.serviceKeyFile, serviceUser, log)
  await writePublicKey(options.serviceKeyFile, service.key, serviceUser)
  await writeKnownHosts(options.knownHostsFile, [hostKey, ...otherHostKeys].map(({ key }) => key), 'catalog-sftp')
  const jail = await createJail(options.rootDir)
  await removeLeftovers(jail, log)

  const authenticate = createAuthenticator({ servicePublicKey: service.key.getPublicSSH(), findVendorKey })
  const admission = createAdmission({
    limits,
    penalties: createPenalties({ exempt: limits.penaltyExempt }),
    onPenalty: (remoteAddress) => log.warn({ remoteAddress }, 'SFTP connections from this address are refused for a while')
  })
  const quotas = createQuotas(jail, limits)
  const sockets = new Map<string, Socket>()
  const connections = new Set<ServedConnection>()

  const ssh = new ssh2.Server({ hostKeys: [hostKey.text], algorithms, ident: sftpSoftware, keepaliveInterval: 15_000, keepaliveCountMax: 3 })
  ssh.on('connection', (client, info) => {
    const socket = sockets.get(addressKey(info.ip, info.port))
    if (socket === undefined) {
      client.end()
      return
    }
    announceHostKeys(client, [hostKey, ...otherHostKeys].map(({ key }) => key))
    const connection = serveConnection({
      client,
      socket,
      authenticate,
      admit: (identity) => admission.admit(socket, identity),
      onRefused: () => admission.refused(socket),
      jail,
      quotas,
      limits,
      log: log.child({ connectionId: randomUUID(), remoteAddress: info.ip })
    })
    connections.add(connection)
    connection.done.then(
      () => connections.delete(connection),
      (error: unknown) => log.error({ err: error }, 'SFTP connection was not closed cleanly')
    )
  })

  const listener = createServer({ noDelay: true }, (socket) => {
    if (!admission.handshake(socket)) return turnAway(socket)
    const key = addressKey(socket.remoteAddress, socket.remotePort)
    sockets.set(key, socket)
    socket.once('close', () => sockets.delete(key))
    socket.setMaxListeners(0) // every channel listens to it, and `maxChannels` bounds those
    ssh.injectSocket(socket)
  })
  listener.listen(options.port, options.host)
  await once(listener, 'listening')
  // From here on an error is one connection's that could not be accepted (EMFILE), not the server's.
  listener.on('error', (error) => log.error({ err: error }, 'SFTP listener failed'))
  const { address, port } = listener.address() as AddressInfo

  const keyWatch = watchKeys({ connections, findKeyOwners, intervalMs: limits.keyCheckIntervalMs, log })

  let closing: Promise<void> | undefined
  const close = async (): Promise<void> => {
    keyWatch.stop()
    const closed = once(listener, 'close')
    listener.close()
    for (const connection of connections) connection.end()
    // Those that have not even sent their version have no connection yet.
    admission.cutHandshakes()
    const ended = Promise.all([closed, ...[...connections].map(async ({ done }) => await done)]).then(() => true)
    const inTime = await Promise.race([ended, sleep(limits.closeTimeoutMs, false, { ref: false })])
    if (inTime) return
    log.warn('SFTP sessions did not end in time')
    for (const socket of sockets.values()) socket.destroy()
  }
  return {
    address: { host: address, port },
    hostKeyFingerprint: fingerprintOf(hostKey.key.getPublicSSH()),
    otherHostKeyFingerprints: otherHostKeys.map(({ key }) => fingerprintOf(key.getPublicSSH())),
    close: async () => await (closing ??= close())
  }
}

type HostKey = Awaited<ReturnType<typeof loadKey>>

async function loadHostKeys (files: HostKeyFiles, log: Logger): Promise<[HostKey, ...HostKey[]]> {
  if ('made' in files) return [await loadOrCreateKey(files.made, 'catalog-sftp', log)]
  const [first, ...others] = await Promise.all(files.given.map(async (file) => await loadKey(file, log).catch((error: Error) => {
    throw new Error(`SFTP_HOST_KEY_FILE cannot be used: ${error.message}; ssh-keygen -t ed25519 -N '' -f ${file} makes one that can`)
  })))
  if (first === undefined) throw new Error('no host key is given')
  return [first, ...others]
}

/** SSH lets a server say something before its version (RFC 4253, 4.2); OpenSSH's words. */
function turnAway (socket: Socket): void {
  socket.on('error', () => { /* it is being closed anyway */ })
  socket.end('Not allowed at this time\r\n', () => socket.destroy())
}

const addressKey = (address: string | undefined, port: number | undefined): string => `${address ?? ''} ${port ?? ''}`
