/**
 * From when to when a vendor has conversations: one small document. A page of a list is read from its end backwards in
 * windows of time, and has to know where to begin. It is widened before a conversation is written and never narrowed, so
 * no conversation ever lies outside of it.
 */
import type { ConversationDocument } from '../../domain/analytics/documents.js'
import type { Collections } from '../database/connection.js'

type Placed = Pick<ConversationDocument, 'vendorId' | 'created' | 'activeAt'>

/** `conversations` are one vendor's. */
export async function widenExtent ({ conversationExtents }: Pick<Collections, 'conversationExtents'>, conversations: readonly Placed[]): Promise<void> {
  const [first] = conversations
  if (first === undefined) return
  const created = conversations.map((conversation) => conversation.created.getTime())
  const activeAt = conversations.map((conversation) => conversation.activeAt.getTime())
  await conversationExtents.updateOne({ _id: first.vendorId }, {
    $min: { createdMin: new Date(Math.min(...created)), activeAtMin: new Date(Math.min(...activeAt)) },
    $max: { createdMax: new Date(Math.max(...created)), activeAtMax: new Date(Math.max(...activeAt)) }
  }, { upsert: true })
}
