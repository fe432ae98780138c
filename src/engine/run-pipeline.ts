/**
 * The one engine: source → decoders → batches → stages → sink, one stream.pipeline() for backpressure, teardown and abort.
 *
 * While the sink writes a batch, the next ones are read and put through the stages (two at most wait), and their order is
 * kept: the sink is handed one batch after the other, each when it has taken the one before.
 *
 * What has been through the stages is held as objects, several times its text, until it is written. So the sink is asked for room before.
 *
 * A record of more than a Mi characters takes several times that while it is read, checked and written. So its run asks before the batch that has it goes
 * through the stages, and says when it has been written.
 */
import { Transform, Writable, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { LinePosition } from '../domain/product.js'
import type { Batch, Envelope } from './envelope.js'
import type { Stage } from './stage.js'
import { createTurn, type Turn } from './turn.js'

export interface Sink<T> {
  /** Resolves when one more batch may go through the stages; at once when absent. Rejects with the abort's reason. */
  room?: (() => Promise<void>) | undefined
  /**
   * Takes a batch. Called with one at a time, in order; resolves when the next may come, which need not mean that this one
   * is durable. Rejects for this batch or one before.
   */
  write (batch: Batch<T>): Promise<void>
  /** Resolves when all that was taken is durable; rejects when some of it could not be made so. */
  flush (): Promise<void>
}

export interface PipelineOptions<In, Out> {
  source: Readable
  /** Streams from the source's bytes to batches, such as gunzip, lines, batching; their order is the pipeline's. */
  decode: Transform[]
  stages: Stage<In, Out>
  sink: Sink<Out>
  signal: AbortSignal
  /** The run's, which its stages look at; one of its own when absent. */
  turn?: Turn | undefined
  beginLarge?: BeginLarge | undefined
}

/** Resolves when a large record may be worked on, with what to call when it has been written. Rejects with the abort's reason. */
export type BeginLarge = () => Promise<() => void>

const largeCharacters = 1024 * 1024
const isLarge = ({ characters }: Envelope<unknown>): boolean => characters > largeCharacters

/**
 * Resolves when everything is written. Rejects with the first error, or the abort's reason; by then source and decoders are torn down
 * and the batch in hand is finished, so that nothing of this run happens after it.
 */
export async function runPipeline<In, Out> ({ source, decode, stages, sink, signal, turn = createTurn(signal), beginLarge }: PipelineOptions<In, Out>): Promise<void> {
  let staging: Promise<void> = Promise.resolve()
  let inHand: Promise<void> = Promise.resolve()
  const large = beginLarge === undefined ? null : oneLarge(beginLarge)
  const takingTurns = (batch: Batch<In>): ReturnType<typeof stages> => {
    const staged = sink.room === undefined && large?.isIn(batch) !== true ? stages(batch, turn) : inRoom(batch)
    // That it is over is enough to know: a batch that is kept while the next is made grows old, which costs a tenth of the speed.
    if (staged instanceof Promise) staging = staged.then(() => {}, () => {})
    return staged
  }
  async function inRoom (batch: Batch<In>): Promise<Batch<Out>> {
    if (large?.isIn(batch) === true) await large.begin(batch)
    await sink.room?.()
    return await stages(batch, turn)
  }
  async function write (batch: Batch<Out>): Promise<void> {
    await sink.write(batch)
    if (large?.holds(batch) !== true) return
    await sink.flush()
    large.end()
  }
  const last = writing<Out>((batch) => { inHand = write(batch); return inHand }, async () => { await sink.flush() })
  try {
    await pipeline([source, ...decode, staged(takingTurns), last], { signal })
  } catch (error) {
    // An abort tears the streams down: which of them is heard of first, and with what error, is chance.
    signal.throwIfAborted()
    throw error
  } finally {
    await Promise.allSettled([staging, inHand])
    await Promise.allSettled([sink.flush()])
    large?.end()
  }
}

interface OneLarge {
  isIn (batch: Batch<unknown>): boolean
  begin (batch: Batch<unknown>): Promise<void>
  /** It is the batch that was begun, whatever the stages have made of it. */
  holds (batch: Batch<unknown>): boolean
  end (): void
}

function oneLarge (beginLarge: BeginLarge): OneLarge {
  let held: { position: LinePosition | undefined, over: () => void } | null = null
  return {
    isIn: (batch) => batch.some(isLarge),
    async begin (batch) {
      const over = await beginLarge()
      held = { position: batch[0]?.position, over }
    },
    holds: (batch) => held !== null && held.position === batch[0]?.position,
    end () {
      held?.over()
      held = null
    }
  }
}

function staged<In, Out> (stages: Stage<In, Out>): Transform {
  return new Transform({
    objectMode: true,
    highWaterMark: 1,
    transform (batch: Batch<In>, _encoding, done) {
      settle(() => stages(batch), (result) => { done(null, result) }, done)
    }
  })
}

function writing<T> (writeBatch: (batch: Batch<T>) => Promise<void>, flush: () => Promise<void>): Writable {
  return new Writable({
    objectMode: true,
    highWaterMark: 1,
    write (batch: Batch<T>, _encoding, done) {
      settle(() => writeBatch(batch), () => { done() }, done)
    },
    final (done) {
      settle(flush, () => { done() }, done)
    }
  })
}

/** Hands a result or error to callbacks; an error thrown by `onResult` itself is not caught twice. */
function settle<T> (run: () => T | Promise<T>, onResult: (result: T) => void, onError: (error: Error) => void): void {
  Promise.resolve().then(run).then(onResult, (error: unknown) => {
    onError(error instanceof Error ? error : new Error(String(error)))
  })
}
