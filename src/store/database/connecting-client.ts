/**
 * A client that connects whenever there is something to connect to. The driver's own tries once, at its first operation: where no server is found in
 * time, it keeps what it has closed, and every later operation is answered "Topology is closed" for as long as the process lives (7.9). Here the
 * next operation tries anew.
 *
 * What DNS says of a URL with mongodb+srv is asked then, too, and fails with errors that are none of the driver's, or that look like a wrong call of it.
 */
import { MongoAPIError, MongoClient, MongoError, MongoNetworkError, MongoParseError } from 'mongodb'

interface Topology { isDestroyed (): boolean }

/** DNS does not say where the servers are, or not now. */
export class HostsNotFound extends MongoNetworkError {
  override get name (): string { return 'HostsNotFound' }
}

/** What DNS says of the servers cannot be used. */
export class HostsUnusable extends MongoError {
  override get name (): string { return 'HostsUnusable' }
}

export class ConnectingClient extends MongoClient {
  override async connect (): Promise<this> {
    try {
      return await super.connect()
    } catch (error) {
      const client: { topology?: Topology | undefined } = this as unknown as { topology?: Topology }
      if (this.options.srvHost !== undefined && client.topology === undefined) throw wordDns(error, this.options.srvServiceName, this.options.srvHost)
      // Not one that somebody has begun since.
      if (client.topology?.isDestroyed() === true) client.topology = undefined
      throw error
    }
  }
}

function wordDns (error: unknown, service = 'mongodb', host = ''): unknown {
  const record = `_${service}._tcp.${host}`
  if (error instanceof MongoParseError || error instanceof MongoAPIError) return new HostsUnusable(`what DNS has for ${record} cannot be used: ${error.message}`)
  const { syscall = '', code = '' } = error as NodeJS.ErrnoException
  if (!/^query(?:Srv|Txt)$/.test(syscall)) return error
  const isNowhere = code === 'ENOTFOUND' || code === 'ENODATA'
  return new HostsNotFound(isNowhere ? `DNS has no SRV record ${record}` : `DNS does not answer for ${record} (${code})`, { cause: error as Error })
}
