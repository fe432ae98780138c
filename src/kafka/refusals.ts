/** Errors of clients that connect, and lack a right or a topic. */

interface BrokerError { code?: number, message: string }

const topicAuthorization = 29
const groupAuthorization = 30
const clusterAuthorization = 31
const unknownTopic = 3
/** librdkafka's own, of a client that has looked. */
const localUnknownTopic = -188

/** node-rdkafka's delivery reports have a message alone. */
export const isTopicDenied = ({ code, message }: BrokerError): boolean => code === topicAuthorization || /topic authorization failed/i.test(message)

export const isGroupDenied = ({ code, message }: BrokerError): boolean => code === groupAuthorization || /group authorization failed/i.test(message)

/** By brokers that let some make this topic, or any. */
export const isMakingDenied = (error: BrokerError): boolean => error.code === clusterAuthorization || isTopicDenied(error)

export const isTopicUnknown = ({ code }: BrokerError): boolean => code === unknownTopic || code === localUnknownTopic
