/** Resolvers of store locations (interface.md, "GraphQL: store locations"). */
import { readNewStoreLocation, readStoreLocationChange } from '../../../domain/store-location.js'
import type { Repositories } from '../../../store/repositories.js'
import { vendorOf } from '../../auth/access.js'
import type { MutationResolvers, QueryResolvers } from '../generated.js'
import { toStoreLocation } from '../nodes.js'

export function createStoreLocationResolvers ({ storeLocations }: Pick<Repositories, 'storeLocations'>) {
  const Query = {
    storeLocations: async (caller, { vendorId }) => (await storeLocations.list(vendorOf(caller, vendorId))).map(toStoreLocation),
    async storeLocation (caller, { id }) {
      const found = await storeLocations.find(caller.vendorId, id)
      return found === null ? null : toStoreLocation(found)
    }
  } satisfies QueryResolvers

  const Mutation = {
    createStoreLocation: async (caller, { input: { vendorId, ...fields } }) =>
      toStoreLocation(await storeLocations.create(vendorOf(caller, vendorId), readNewStoreLocation(fields))),
    updateStoreLocation: async (caller, { input: { id, ...fields } }) =>
      toStoreLocation(await storeLocations.update(caller.vendorId, id, readStoreLocationChange(fields))),
    deleteStoreLocation: async (caller, { id }) => toStoreLocation(await storeLocations.delete(caller.vendorId, id))
  } satisfies MutationResolvers

  return { Query, Mutation }
}
