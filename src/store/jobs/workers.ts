/** The workers that are alive, so that a waiting job can say whether anyone is there to run it. */
import type { WorkerDocument } from './worker-document.js'
import type { Collections } from '../database/connection.js'

export interface Workers {
  beat (workerId: string): Promise<void>
  leave (workerId: string): Promise<void>
  /** The newest sign of life of any worker; null when there never was one within the TTL (a day). */
  lastHeartbeat (): Promise<Date | null>
  /** The last seen first. */
  list (first: number): Promise<WorkerDocument[]>
}

export function createWorkers ({ workers }: Collections): Workers {
  return {
    async beat (workerId) {
      await workers.updateOne({ _id: workerId }, { $set: { heartbeatAt: new Date() } }, { upsert: true })
    },
    async leave (workerId) {
      await workers.deleteOne({ _id: workerId })
    },
    async lastHeartbeat () {
      const newest = await workers.findOne({}, { sort: { heartbeatAt: -1 } })
      return newest?.heartbeatAt ?? null
    },
    list: async (first) => await workers.find({}, { sort: { heartbeatAt: -1 }, limit: first }).toArray()
  }
}
