import type { Logger } from 'pino'
import type { Wake } from '../jobs/import-queue.js'
import type { HintProducer } from '../jobs/kafka-producer.js'
import type { Repositories } from '../store/repositories.js'
import type { Span } from '../tracing/span.js'

/** Finds the vendor's partition and sends the hint there. A vendor's number never changes, so it is remembered. */
export function createWake ({ vendors }: Repositories, producer: HintProducer, log: Logger): Wake {
  const numbers = new Map<string, number>()
  const send = async (vendorId: string, jobId: string, span?: Span): Promise<void> => {
    const number = numbers.get(vendorId) ?? (await vendors.find(vendorId))?.partition
    if (number === undefined) return log.warn({ vendorId, jobId }, 'a job of an unknown vendor')
    numbers.set(vendorId, number)
    await producer.send(number, { vendorId, jobId }, span)
  }
  return (vendorId, jobId, span) => {
    send(vendorId, jobId, span).catch((error: unknown) => {
      log.warn({ err: error, vendorId, jobId }, 'a job hint was not sent; recovery will send it again')
    })
  }
}
