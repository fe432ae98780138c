/** What is known of a customer's vehicle in a conversation, in `fitment_memory`; forgotten 90 days after its last use. */
import { hash } from 'node:crypto'
import type { Collections } from '../database/connection.js'
import type { FitmentMemoryDocument } from './fitment-memory-document.js'

export type RememberedFitment = Pick<FitmentMemoryDocument, 'values' | 'targetId'>

export interface FitmentMemory {
  find (vendorId: string, conversationId: string): Promise<RememberedFitment>
  put (vendorId: string, conversationId: string, remembered: RememberedFitment): Promise<void>
}

const keptMs = 90 * 24 * 60 * 60 * 1_000

export function createFitmentMemory ({ fitmentMemory }: Pick<Collections, 'fitmentMemory'>): FitmentMemory {
  const documentId = (vendorId: string, conversationId: string): string => hash('sha256', JSON.stringify([vendorId, conversationId]), 'base64url')
  return {
    async find (vendorId, conversationId) {
      const { values, targetId } = await fitmentMemory.findOne({ _id: documentId(vendorId, conversationId) }) ?? { values: [], targetId: null }
      return { values, targetId }
    },
    async put (vendorId, conversationId, { values, targetId }) {
      const document = { vendorId, values, targetId, expiresAt: new Date(Date.now() + keptMs) }
      await fitmentMemory.replaceOne({ _id: documentId(vendorId, conversationId) }, document, { upsert: true })
    }
  }
}
