/**
 * A client that connects whenever there is something to connect to. The driver's own tries once, at its first operation: where no server is found in
 * time, it keeps what it has closed, and every later operation is answered "Topology is closed" for as long as the process lives (7.9). Here the
 * next operation tries anew.
 */
import { MongoClient } from 'mongodb'

interface Topology { isDestroyed (): boolean }

export class ConnectingClient extends MongoClient {
  override async connect (): Promise<this> {
    try {
      return await super.connect()
    } catch (error) {
      const client: { topology?: Topology | undefined } = this as unknown as { topology?: Topology }
      // Not one that somebody has begun since.
      if (client.topology?.isDestroyed() === true) client.topology = undefined
      throw error
    }
  }
}
