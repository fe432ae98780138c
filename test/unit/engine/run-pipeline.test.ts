import { once } from 'node:events'
import { Readable, Transform } from 'node:stream'
import t from 'tap'
import { Envelope, type Batch } from '../../../src/engine/envelope.js'
import { runPipeline, type PipelineOptions, type Sink } from '../../../src/engine/run-pipeline.js'
import { createGate } from '../../support/eventually.js'

/** One in capitals is large. */
const charactersOf = (text: string): number => text === text.toLowerCase() ? 1 : 2_000_000

/** Each piece of the source is one batch of one record. */
const oneByOne = (): Transform => {
  let line = 0
  return new Transform({
    objectMode: true,
    readableHighWaterMark: 1,
    transform (piece: Buffer, _encoding, done) { done(null, [new Envelope({ file: 0, line: ++line }, piece.toString(), charactersOf(piece.toString()))]) }
  })
}

interface Written { sink: Sink<string>, texts: string[], flushed: () => number }

function writing (onWrite: (text: string) => Promise<void> | void = () => {}): Written {
  const texts: string[] = []
  let flushes = 0
  return {
    texts,
    flushed: () => flushes,
    sink: {
      async write (batch) {
        const text = batch.map(({ value }) => value).join()
        await onWrite(text)
        texts.push(text)
      },
      async flush () { flushes += 1 }
    }
  }
}

const run = async (options: Partial<PipelineOptions<string, string>> & { sink: Sink<string> }): Promise<void> => {
  await runPipeline<string, string>({ source: Readable.from(['a', 'b', 'c']), decode: [oneByOne()], stages: (batch) => batch, signal: new AbortController().signal, ...options })
}

t.test('batches reach the sink in order, and it is flushed', async (t) => {
  const written = writing()
  await run({ sink: written.sink, stages: async (batch) => batch })
  t.strictSame(written.texts, ['a', 'b', 'c'])
  t.ok(written.flushed() > 0)
})

t.test('the sink is handed one batch at a time', async (t) => {
  let inHand = 0
  let most = 0
  const written = writing(async () => {
    most = Math.max(most, ++inHand)
    await new Promise(setImmediate)
    inHand -= 1
  })
  await run({ sink: written.sink })
  t.equal(most, 1)
})

t.test('a slow sink holds the source back', async (t) => {
  const gate = createGate()
  let read = 0
  const source = Readable.from((function * () { for (; read < 10_000; read++) yield String(read) })(), { highWaterMark: 1 })
  const reached = createGate()
  const written = writing(async () => {
    reached.open()
    await gate.passed
  })
  const running = run({ source, sink: written.sink })
  await reached.passed
  for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate)
  t.ok(read < 200, `${read} read while one is being written`)
  source.destroy()
  gate.open()
  await t.rejects(running)
})

for (const [what, options] of Object.entries({
  'the source': { source: new Readable({ read () { this.destroy(new Error('broken')) } }) },
  'a decoder': { decode: [new Transform({ transform (_chunk, _encoding, done) { done(new Error('broken')) } }), oneByOne()] },
  'a stage': { stages: () => { throw new Error('broken') } },
  'an asynchronous stage': { stages: async () => { throw new Error('broken') } },
  'the sink': { sink: { write: async () => { throw new Error('broken') }, flush: async () => {} } },
  'the last flush': { sink: { write: async () => {}, flush: async () => { throw new Error('broken') } } }
} as Record<string, Partial<PipelineOptions<string, string>>>)) {
  t.test(`an error of ${what} ends the run with that error`, async (t) => {
    await t.rejects(run({ sink: writing().sink, ...options }), new Error('broken'))
  })
}

t.test('what is thrown need not be an error', async (t) => {
  // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
  await t.rejects(run({ sink: { write: async () => await Promise.reject('broken'), flush: async () => {} } }), { message: 'broken' })
})

t.test('no batch goes through the stages before its sink has room for it', async (t) => {
  const told: string[] = []
  const written = writing((text) => { told.push(`written ${text}`) })
  const asked = createGate()
  const freed = createGate()
  const running = run({
    sink: { ...written.sink, room: async () => { asked.open(); await freed.passed } },
    stages (batch) { told.push(`staged ${batch[0]?.value ?? ''}`); return batch }
  })
  await asked.passed
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
  t.strictSame(told, [])
  freed.open()
  await running
  t.strictSame(told.filter((what) => what.startsWith('staged')), ['staged a', 'staged b', 'staged c'])
  t.strictSame(written.texts, ['a', 'b', 'c'])
})

t.test('a run whose sink gets no room ends with what the sink says', async (t) => {
  const written = writing()
  await t.rejects(run({ sink: { ...written.sink, room: async () => { throw new Error('cancelled') } } }), { message: 'cancelled' })
  t.strictSame(written.texts, [])
})

t.test('a large record is begun before there is room for it: room is for others as well, who are not to wait for what it waits for', async (t) => {
  const { told, options } = watched()
  await run({ source: Readable.from(['A']), ...options, sink: { ...options.sink, room: async () => { told.push('room') } } })
  t.strictSame(told, ['begun', 'room', 'staged A', 'written A', 'over'])
})

t.test('an error tears the source down', async (t) => {
  const source = Readable.from(['a', 'b', 'c'])
  const closed = once(source, 'close')
  await t.rejects(run({ source, sink: { write: async () => { throw new Error('broken') }, flush: async () => {} } }))
  await closed
  t.ok(source.destroyed)
})

t.test('an abort waits for the batch in hand, then nothing of the run happens any more', async (t) => {
  const abort = new AbortController()
  const gate = createGate()
  const reached = createGate()
  const written = writing(async () => {
    reached.open()
    await gate.passed
  })
  let ended = false
  const running = run({ sink: written.sink, signal: abort.signal }).finally(() => { ended = true })
  await reached.passed
  abort.abort(new Error('stop'))
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
  t.notOk(ended, 'the batch in hand is not finished yet')
  gate.open()
  await t.rejects(running, { message: 'stop' })
  t.strictSame(written.texts, ['a'])
})

t.test('an empty source is a run of no batches', async (t) => {
  const written = writing()
  await run({ source: Readable.from([]), sink: written.sink })
  t.strictSame(written.texts, [])
})

t.test('a stage may answer with other values for the same envelopes', async (t) => {
  const written = writing()
  await run({ sink: written.sink, stages: (batch: Batch<string>) => batch.map((one) => Object.assign(one, { value: one.value?.toUpperCase() ?? null })) })
  t.strictSame(written.texts, ['A', 'B', 'C'])
})

/** Tells in turn what begins, goes through the stages, is written and over. */
function watched (): { told: string[], options: Pick<PipelineOptions<string, string>, 'sink' | 'stages' | 'beginLarge'> } {
  const told: string[] = []
  const written = writing((text) => { told.push(`written ${text}`) })
  return {
    told,
    options: {
      sink: written.sink,
      stages (batch) {
        told.push(`staged ${batch[0]?.value ?? ''}`)
        return batch
      },
      beginLarge: async () => {
        told.push('begun')
        return () => { told.push('over') }
      }
    }
  }
}

t.test('a large record is begun before the stages, and over when it has been written', async (t) => {
  const { told, options } = watched()
  await run({ source: Readable.from(['A']), ...options })
  t.strictSame(told, ['begun', 'staged A', 'written A', 'over'])
})

t.test('what has been written of a large record is durable before it is over', async (t) => {
  const { told, options } = watched()
  await run({ source: Readable.from(['A']), ...options, sink: { ...options.sink, flush: async () => { if (!told.includes('over')) told.push('flushed') } } })
  t.strictSame(told.slice(-3), ['written A', 'flushed', 'over'])
})

t.test('others before and after a large one begin nothing and end nothing', async (t) => {
  const { told, options } = watched()
  await run({ source: Readable.from(['a', 'B', 'c']), ...options })
  t.strictSame(told.filter((what) => what === 'begun' || what === 'over'), ['begun', 'over'])
  t.ok(told.indexOf('over') > told.indexOf('written B'))
})

t.test('of several large ones each is over before the next is begun', async (t) => {
  const { told, options } = watched()
  let under = Promise.resolve()
  await run({
    source: Readable.from(['A', 'B', 'C']),
    ...options,
    async beginLarge () {
      const before = under
      let end = (): void => {}
      under = new Promise((resolve) => { end = resolve })
      await before
      told.push('begun')
      return () => { told.push('over'); end() }
    }
  })
  t.strictSame(told.filter((what) => what === 'begun' || what === 'over'), ['begun', 'over', 'begun', 'over', 'begun', 'over'])
})

t.test('a large record whose write fails is over', async (t) => {
  const { told, options } = watched()
  await t.rejects(run({ source: Readable.from(['A']), ...options, sink: { write: async () => { throw new Error('away') }, flush: async () => {} } }), { message: 'away' })
  t.equal(told.at(-1), 'over')
})

t.test('a run that is aborted while it waits for its large record ends, and stages nothing', async (t) => {
  const { told, options } = watched()
  const abort = new AbortController()
  const running = run({
    source: Readable.from(['A']),
    ...options,
    signal: abort.signal,
    beginLarge: async () => await new Promise((_resolve, reject) => {
      abort.signal.addEventListener('abort', () => { reject(abort.signal.reason as Error) })
      setImmediate(() => { abort.abort(new Error('cancelled')) })
    })
  })
  await t.rejects(running, { message: 'cancelled' })
  t.strictSame(told, [])
})
