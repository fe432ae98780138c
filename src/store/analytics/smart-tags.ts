/**
 * Smart tags, in `smart_tags`. A deleted one stays as a tombstone: a load that brings its record again must not bring it
 * back. For the same reason a tag that was edited here is not changed by loads any more.
 */
import { randomUUID } from 'node:crypto'
import { recordKey, type SmartTagDocument } from '../../domain/analytics/documents.js'
import { limitExceeded } from '../../errors.js'
import type { Collections } from '../database/connection.js'
import { findByIds } from '../database/find-by-ids.js'

export interface SmartTags {
  /** By title. */
  list (vendorId: string): Promise<SmartTagDocument[]>
  /** By id; unknown and deleted ones are absent. */
  findMany (vendorId: string, ids: string[]): Promise<Map<string, SmartTagDocument>>
  /** Throws LIMIT_EXCEEDED. */
  create (vendorId: string, tag: { title: string, description: string | null }): Promise<SmartTagDocument>
  /** null: no such tag of this vendor. */
  update (vendorId: string, id: string, change: { title: string, description?: string | null }): Promise<SmartTagDocument | null>
  /** False: no such tag of this vendor. */
  delete (vendorId: string, id: string): Promise<boolean>
}

/** Lists of tags are not paged. Two requests at once may exceed it by one. */
const maxTagsPerVendor = 1_000

export function createSmartTags ({ smartTags }: Collections): SmartTags {
  const living = async (_id: string): Promise<SmartTagDocument | null> => {
    const found = await smartTags.findOne({ _id })
    return found?.deletedAt === null ? found : null
  }
  return {
    async list (vendorId) {
      const found = await smartTags.find({ vendorId, deletedAt: null }).limit(maxTagsPerVendor * 10).toArray()
      return found.sort((a, b) => a.title < b.title ? -1 : a.title > b.title ? 1 : a._id < b._id ? -1 : 1)
    },
    async findMany (vendorId, ids) {
      const keys = [...new Set(ids)].map((id) => recordKey(vendorId, 'smart-tags', id))
      const found = await findByIds(smartTags, keys)
      return new Map(found.filter(({ deletedAt }) => deletedAt === null).map((tag) => [tag.id, tag]))
    },
    async create (vendorId, { title, description }) {
      if (await smartTags.countDocuments({ vendorId, deletedAt: null }, { limit: maxTagsPerVendor }) >= maxTagsPerVendor) {
        throw limitExceeded(`A vendor may have at most ${maxTagsPerVendor} smart tags`)
      }
      const id = randomUUID()
      const tag: SmartTagDocument = {
        _id: recordKey(vendorId, 'smart-tags', id), vendorId, digest: '', id, title, description, editedAt: new Date(), deletedAt: null
      }
      await smartTags.insertOne(tag)
      return tag
    },
    async update (vendorId, id, { title, description }) {
      const _id = recordKey(vendorId, 'smart-tags', id)
      const change = { title, editedAt: new Date(), ...(description === undefined ? {} : { description }) }
      const { matchedCount } = await smartTags.updateOne({ _id, deletedAt: null }, { $set: change })
      return matchedCount === 0 ? null : await living(_id)
    },
    async delete (vendorId, id) {
      const { matchedCount } = await smartTags.updateOne({ _id: recordKey(vendorId, 'smart-tags', id), deletedAt: null }, { $set: { deletedAt: new Date() } })
      return matchedCount > 0
    }
  }
}
