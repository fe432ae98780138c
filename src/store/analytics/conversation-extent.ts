/** The document in `conversation_extents`: from when to when a vendor has conversations. */
export interface ConversationExtent {
  /** The vendor. */
  _id: string
  createdMin: Date
  createdMax: Date
  activeAtMin: Date
  activeAtMax: Date
}
