/** How a trace goes on over a hint: W3C's `traceparent` in the message's headers, as everybody's clients for Kafka have it. */
import type Kafka from 'node-rdkafka'
import type { Span } from '../tracing/span.js'
import { parseTraceparent } from '../tracing/traceparent.js'

const header = 'traceparent'
/** What is not ours may have as many as it likes. */
const maxHeaders = 32
const maxValueBytes = 256

export const messagingAttributes = (topic: string): { 'messaging.system': 'kafka', 'messaging.destination.name': string } =>
  ({ 'messaging.system': 'kafka', 'messaging.destination.name': topic })

/** Until the brokers have it. */
export const beginSending = (span: Span, topic: string, { vendorId, jobId }: { vendorId: string, jobId: string }): Span => span.child(`send ${topic}`, {
  kind: 'producer',
  attributes: { ...messagingAttributes(topic), 'messaging.operation.type': 'send', 'catalog.vendor.id': vendorId, 'catalog.job.id': jobId }
})

export function endSending (sending: Span, isDelivered: boolean): void {
  if (!isDelivered) sending.fail('not delivered')
  sending.end()
}

export const headersOf = ({ traceparent }: Span): Kafka.MessageHeader[] | undefined => traceparent === undefined ? undefined : [{ [header]: traceparent }]

/** undefined: the message carries on no trace. */
export function traceparentIn ({ headers = [] }: Pick<Kafka.Message, 'headers'>): string | undefined {
  for (const { [header]: value } of headers.slice(0, maxHeaders)) {
    const text = value === undefined || value.length > maxValueBytes ? '' : String(value)
    if (parseTraceparent(text) !== undefined) return text
  }
  return undefined
}
