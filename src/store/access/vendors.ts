/** Vendors, in `vendors`. Each has a number of its own, counted up, which decides its Kafka partition. */
import { checkName, serviceUser, vendorIdPattern, type Vendor } from '../../domain/access.js'
import { badInput, conflict } from '../../errors.js'
import type { Collections } from '../database/connection.js'
import { countUpBy } from '../database/count-up.js'
import { isDuplicateKey } from '../database/database-errors.js'

export interface Vendors {
  /** Throws BAD_USER_INPUT for a malformed id or name, CONFLICT when the id is taken. */
  create (id: string, name: string): Promise<Vendor>
  find (id: string): Promise<Vendor | null>
  ids (): AsyncIterable<string>
}

export function createVendors ({ vendors, counters }: Collections): Vendors {
  return {
    async create (id, name) {
      if (!vendorIdPattern.test(id)) {
        throw badInput('id must be 1 to 63 lower-case letters, digits, - and _, starting with a letter or digit', 'id')
      }
      if (id === serviceUser) throw badInput(`id must not be ${serviceUser}: that is the service's own SFTP user`, 'id')
      checkName(name)
      // A number whose vendor was refused is never used; gaps cost nothing.
      const partition = await countUpBy(counters, 'vendor-partition', 'next', 1) - 1
      const vendor: Vendor = { _id: id, name, partition, createdAt: new Date() }
      try {
        await vendors.insertOne(vendor)
      } catch (error) {
        if (isDuplicateKey(error)) throw conflict(`Vendor ${id} exists already`, 'id')
        throw error
      }
      return vendor
    },
    find: async (id) => await vendors.findOne({ _id: id }),
    async * ids () {
      for await (const { _id } of vendors.find({}, { projection: { _id: 1 } })) yield _id
    }
  }
}
