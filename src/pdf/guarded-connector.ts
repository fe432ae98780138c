/**
 * Connects to public addresses only. A name is resolved once for each connection, and the very addresses that were checked
 * are connected to, so a name that answers differently the second time gains nothing. A URL that holds an address instead
 * of a name is never resolved, and checked as it stands. At last the address of the other end is checked once more.
 */
import { lookup as dnsLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { PdfRefused } from '../domain/conversion-failure.js'
import { isPublicAddress } from './public-address.js'

export interface GuardedConnectorOptions {
  /** Lower-case `host` or `host:port` that may have any address (SIZE_CHART_ALLOWED_HOSTS). */
  allowedHosts: ReadonlySet<string>
  connectTimeoutMs: number
  /** For tests: names that answer as the test wants. */
  lookup?: LookupFunction
}

export function createGuardedConnector ({ allowedHosts, connectTimeoutMs, lookup = dnsLookup }: GuardedConnectorOptions): buildConnector.connector {
  /** Refuses a name as soon as one of its addresses is not public: which of them is tried is not ours to choose. */
  const guardedLookup: LookupFunction = (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) callback(error, '', 0)
      else if (!Array.isArray(addresses) || addresses.length === 0 || !addresses.every(({ address }) => isPublicAddress(address))) {
        callback(new PdfRefused('blocked-address'), '', 0)
      } else if (options.all === true) callback(null, addresses)
      else callback(null, addresses[0]?.address ?? '', addresses[0]?.family)
    })
  }
  const guarded = buildConnector({ timeout: connectTimeoutMs, allowH2: false, lookup: guardedLookup })
  const free = buildConnector({ timeout: connectTimeoutMs, allowH2: false, lookup })

  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '').toLowerCase()
    const port = options.port === '' ? (options.protocol === 'https:' ? '443' : '80') : options.port
    if (allowedHosts.has(host) || allowedHosts.has(`${host}:${port}`)) {
      free(options, callback)
      return
    }
    if (isIP(host) !== 0 && !isPublicAddress(host)) {
      callback(new PdfRefused('blocked-address'), null)
      return
    }
    guarded(options, (...result) => {
      const [error, socket] = result
      if (error !== null || isPublicAddress(socket.remoteAddress ?? '')) {
        callback(...result)
        return
      }
      socket.destroy()
      callback(new PdfRefused('blocked-address'), null)
    })
  }
}
