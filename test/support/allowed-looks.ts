/** What the service may ask of its database without an index, or of all shards, each with its reason: by the name of its shape (support/held-commands). */

/** What looks at all that there is, and may: there is little of it, or it is a walk. */
export const walks: Record<string, string> = {
  'schema_versions find': 'one document',
  'facet_removals find': 'what is under way',
  'workers find by -heartbeatAt': 'one a process',
  'vendors find': 'whose files are swept, once an hour',
  'vendors aggregate': 'how many there are, for catalog doctor',
  'vendors find by _id': 'one of them, for catalog doctor',
  'size_chart_pdfs.files find': 'the driver asks whether there is one before it makes indexes',
  'size_chart_pdfs.files find by _id': 'those that no chart holds, once an hour',
  'products find': 'a migration',
  'products find by _id': 'a migration',
  'products find searchKeys.key by _id': 'a migration',
  'size_charts find pdf': 'a migration',
  'conversations find facts.attributed by _id': 'a migration',
  'conversations find by _id': 'a migration'
}
/** What asks all shards of a sharded cluster, and may. */
export const scatters: Record<string, string> = {
  'products find': 'a migration',
  'products find by _id': 'a migration',
  'products find searchKeys.key by _id': 'a migration',
  'conversations find facts.attributed by _id': 'a migration',
  'conversations find by _id': 'a migration',
  'products find vendorId': 'what a job that was given up has left, in a walk',
  'products find vendorId archived by targeted externalId': 'the walk at the beginning of a REPLACE, a few a second',
  'products find vendorId archived targeted by externalId': 'a page of a vendor\'s list, in its order',
  'products find vendorId archived targeted externalId by externalId': 'the same, a range of it',
  'products aggregate vendorId archived targeted by externalId': 'the same, of a search',
  'products aggregate vendorId archived targeted externalId by externalId': 'the same, of a range',
  'products aggregate vendorId archived targeted': 'how many a vendor has, kept until they are written',
  'products find vendorId archived searchKeys.key': 'what a link that is removed leaves in products, in a walk',
  'products aggregate searchKeys.key vendorId archived by externalId': 'a search by a word, a link or a store, in each shard\'s own index',
  'products aggregate searchKeys.key vendorId archived externalId by externalId': 'the same, behind those that were not what was wanted',
  'products aggregate searchKeys.key vendorId archived': 'how many such a search finds',
  'products find searchKeys.key vendorId archived by externalId': 'the same, of a server that stops at a limit',
  'conversations find vendorId activeAt by -activeAt': 'a page of a vendor\'s list',
  'conversations aggregate vendorId activeAt by -activeAt -_id': 'a page of a vendor\'s list',
  'conversations find filterKeys activeAt by -activeAt': 'a page of a vendor\'s list',
  'conversations aggregate filterKeys activeAt by -activeAt -_id': 'a page of a vendor\'s list',
  'conversations find filterKeys created by -created': 'a page of a vendor\'s list, of a period',
  'conversations aggregate filterKeys created by -created -_id': 'a page of a vendor\'s list, of a period',
  'conversations aggregate filterKeys created': 'how many a list of a period has',
  'conversations aggregate vendorId': 'how many a list has',
  'conversations aggregate filterKeys': 'how many a list has',
  'conversations aggregate vendorId created': 'the figures of a period, which each shard adds up',
  'sessions aggregate vendorId chatted created': 'the figures of a period, which each shard adds up',
  'orders aggregate vendorId created': 'the figures of a period, which each shard adds up',
  'orders aggregate vendorId attributed created': 'the figures of a period, which each shard adds up',
  'sessions find vendorId lead by -created -_id': 'the last session of one customer',
  'conversation_events find conversationKey by -created -_id': 'by conversation: a record that comes again in another would be there twice if that were the key',
  'conversation_events aggregate conversationKey': 'how many a conversation has',
  'customer_events find sessionKey by -created -_id': 'by session, as events by conversation',
  'surveys find conversationKey': 'of a page of conversations',
  'conversations find sessionKey': 'what belongs to the sessions of records that come, 50 at a time',
  'orders find sessionKey': 'the same',
  'orders find conversationKey': 'what belongs to conversations of which records come, 50 at a time',
  'conversation_events find conversationKey': 'the same'
}
/** What has a condition that its index does not know, and may: what the others leave is little. */
export const besides: Record<string, string> = {
  'integration_api_keys aggregate vendorId revokedAt': 'a vendor\'s keys: 200 that work, and those of a year that were revoked',
  'integration_api_keys find createdBy revokedAt by -createdAt': 'those that a user has made',
  'user_api_keys aggregate userId revokedAt': 'a user\'s keys: 50 that work, and those of a year that were revoked',
  'size_chart_pdfs.files aggregate metadata.vendorId _id': 'a vendor\'s PDFs but one, as many as it may have charts',
  'size_charts find status vendorId conversion.claim': 'a vendor\'s charts that wait to be converted',
  'users find memberships.vendorId memberships': 'a vendor\'s users, 1,000 at most'
}

/** What the server sorts by itself, and may: all that the filter leaves is little. */
export const sorts: Record<string, string> = {
  'integration_api_keys find vendorId by -createdAt': 'a vendor\'s keys, as above',
  'integration_api_keys find createdBy revokedAt by -createdAt': 'those that a user has made',
  'user_api_keys find userId by -createdAt': 'a user\'s keys, as above',
  'sessions find vendorId lead by -created -_id': 'the sessions of one customer'
}
