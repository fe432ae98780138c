/**
 * One client's connection:
 *
 *   logging in ──verified key, admitted──▶ serving ──▶ ended
 *       └──too many attempts, too slow──────────────────▲   (also: idle, overflow, server closing, peer gone)
 *
 * Only SFTP channels are served. ssh2 refuses by itself what nobody listens for: shells, commands, terminals, forwarding.
 * Every event of ssh2 that may carry an error has a listener, so nothing a client sends can end the process.
 */
import type { Socket } from 'node:net'
import type { AuthContext, Connection, Session } from 'ssh2'
import type { Logger } from 'pino'
import { vendorIdPattern } from '../domain/access.js'
import type { Decision } from './authentication.js'
import { createFileTree } from './file-tree.js'
import type { Identity } from './identity.js'
import type { Jail } from './jail.js'
import type { SftpLimits } from './limits.js'
import type { Quotas } from './quotas.js'
import { serveSftpChannel } from './sftp-channel.js'

export interface ConnectionOptions {
  client: Connection
  socket: Socket
  authenticate: (context: AuthContext) => Promise<Decision>
  /** Takes a place for the user until the socket closes; a reason instead, when there is none. */
  admit: (identity: Identity) => { refusal: string } | undefined
  /** Credentials were refused: the address is answerable for it. */
  onRefused: () => void
  jail: Jail
  quotas: Quotas
  limits: SftpLimits
  log: Logger
}

/** A peer that does not answer our goodbye is cut off after this. */
const goodbyeMs = 2_000
/** Login messages, also those that are no refusals (a key asked about again and again), per refusal allowed. */
const messagesPerAttempt = 3

export interface ServedConnection {
  /** The vendor that has logged in, and with which key (`SHA256:…`). Neither for strangers nor for the service itself. */
  readonly login: { vendorId: string, fingerprint: string } | undefined
  /** Says goodbye; the socket closes soon after. A reason is logged. */
  end (reason?: string): void
  /** Resolves when the connection is over and nothing of it is left open. */
  done: Promise<void>
}

export function serveConnection ({ client, socket, authenticate, admit, onRefused, jail, quotas, limits, log: parentLog }: ConnectionOptions): ServedConnection {
  let log = parentLog
  let refusals = 0
  let messages = 0
  let isEnding = false
  let login: ServedConnection['login']
  let idleTimer: NodeJS.Timeout | undefined
  const channels = new Set<{ close (): Promise<void> }>()
  let openSessions = 0

  const end = (reason?: string): void => {
    if (isEnding) return
    if (reason !== undefined) log.info({ reason }, 'SFTP connection ended')
    isEnding = true
    client.end()
    setTimeout(() => socket.destroy(), goodbyeMs).unref()
  }
  const touch = (): void => { idleTimer?.refresh() }

  const refuse = (context: AuthContext, reason: string): void => {
    // Clients ask with "none" to learn what is offered; that is no attempt.
    if (context.method !== 'none') {
      refusals++
      const user = vendorIdPattern.test(context.username) ? context.username : '(malformed)'
      log.info({ user, reason }, 'SFTP login refused')
    }
    context.reject(['publickey'])
    if (refusals >= limits.maxAuthAttempts) end('too many login attempts')
  }
  const decide = async (context: AuthContext): Promise<void> => {
    const decision = await authenticate(context)
    if (isEnding || socket.destroyed) return
    if (decision.kind === 'refused') {
      if (context.method !== 'none') onRefused()
      return refuse(context, decision.reason)
    }
    if (decision.kind === 'prove-it') return context.accept()
    const full = admit(decision.identity)
    if (full !== undefined) {
      refuse(context, full.refusal)
      return end()
    }
    const { identity, fingerprint } = decision
    if (identity.kind === 'vendor') login = { vendorId: identity.vendorId, fingerprint }
    serve(identity)
    context.accept()
    log.info({ fingerprint }, 'SFTP login')
  }

  client.on('authentication', (context) => {
    if (isEnding) return
    if (++messages > limits.maxAuthAttempts * messagesPerAttempt) return end('too many login messages')
    decide(context).catch((error: unknown) => {
      log.error({ err: error }, 'SFTP login could not be decided')
      refuse(context, 'internal error')
    })
  })

  const serve = (identity: Identity): void => {
    log = log.child(identity.kind === 'vendor' ? { vendorId: identity.vendorId } : { service: true })
    idleTimer = setTimeout(() => end('idle'), limits.idleTimeoutMs).unref()
    // Where a folder is not as it should be, requests are refused one by one; the log line is for the operator.
    const ready = prepare(identity).catch((error: unknown) => log.error({ err: error }, 'could not prepare the vendor\'s folder'))

    client.on('session', (accept, reject) => {
      if (openSessions >= limits.maxChannels) {
        reject()
        return
      }
      openSessions++
      const session = accept()
      session.on('close', () => { openSessions-- })
      serveSession(session, identity, ready)
    })
  }

  const prepare = async (identity: Identity): Promise<void> => {
    if (identity.kind === 'vendor') await jail.prepare(identity.vendorId)
  }

  const serveSession = (session: Session, identity: Identity, ready: Promise<void>): void => {
    session.on('sftp', (accept) => {
      const sftp = accept()
      sftp.on('error', (error: Error) => {
        log.info({ err: error }, 'SFTP protocol error')
        end()
      })
      const channel = serveSftpChannel({
        sftp,
        socket,
        identity,
        tree: createFileTree(identity, jail, quotas),
        limits,
        log,
        ready,
        onRequest: touch,
        onOverflow: () => end('more requests than the window allows'),
        onError: (error) => {
          log.error({ err: error }, 'SFTP channel failed')
          end()
        }
      })
      channels.add(channel)
      // The client has said its last word; ssh2 leaves it to us to answer in kind, after the answers that are still due.
      sftp.on('end', () => channel.finish())
      sftp.on('close', () => {
        channel.close().catch(logUnexpected).finally(() => channels.delete(channel))
      })
    })
  }
  const logUnexpected = (error: unknown): void => log.error({ err: error }, 'SFTP connection was not closed cleanly')

  client.on('error', (error) => {
    log.debug({ err: error }, 'SFTP connection error')
    if (!socket.destroyed) end()
  })

  const done = new Promise<void>((resolve) => {
    socket.once('close', () => {
      clearTimeout(idleTimer)
      isEnding = true
      Promise.all([...channels].map(async (channel) => await channel.close()))
        .catch(logUnexpected)
        .finally(resolve)
    })
  })
  return { get login () { return login }, end, done }
}
