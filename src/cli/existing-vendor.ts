import { notFound } from '../errors.js'
import type { Repositories } from '../store/repositories.js'

/** Throws NOT_FOUND: a key for a mistyped vendor would open nothing, or worse, something created later. */
export async function expectVendor ({ vendors }: Repositories, vendorId: string): Promise<void> {
  if (await vendors.find(vendorId) === null) throw notFound(`There is no vendor ${JSON.stringify(vendorId)}`)
}
