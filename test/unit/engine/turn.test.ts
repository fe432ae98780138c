/** Giving way: a batch that takes long lets others have the event loop in between, and ends when its run is aborted. */
import { Readable, Transform } from 'node:stream'
import t from 'tap'
import { Envelope, type Batch } from '../../../src/engine/envelope.js'
import { runPipeline } from '../../../src/engine/run-pipeline.js'
import { inOrder, perRecord } from '../../../src/engine/stage.js'
import { createTurn, type Turn } from '../../../src/engine/turn.js'
import { busyFor } from '../../support/busy-for.js'

const never = new AbortController().signal
const batchOf = (count: number): Batch<number> => Array.from({ length: count }, (_, n) => new Envelope({ file: 0, line: n + 1 }, n))
/** Ten milliseconds a record. */
const slow = (onRecord: (n: number) => void = () => {}) => perRecord<number, number>((n) => {
  onRecord(n)
  busyFor(10)
  return n * 2
})

/** How many records are done between two turns of the event loop, at most. */
async function mostBetweenTurns (run: (onRecord: () => void) => Promise<unknown>): Promise<number> {
  let most = 0
  let since = 0
  let isOver = false
  const count = (): void => {
    if (isOver) return
    since = 0
    setImmediate(count)
  }
  setImmediate(count)
  await run(() => { most = Math.max(most, ++since) })
  isOver = true
  return most
}

t.test('a batch that takes long gives way by time, and comes out whole and in order', async (t) => {
  let batch: Batch<number> = []
  const most = await mostBetweenTurns(async (onRecord) => { batch = await slow(onRecord)(batchOf(30), createTurn(never)) })
  t.ok(most < 10, `${most} records of ten milliseconds in one go`)
  t.strictSame(batch.map(({ value }) => value), Array.from({ length: 30 }, (_, n) => n * 2))
})

t.test('a batch that takes no time stays in one go', async (t) => {
  const turn = createTurn(never)
  await turn.giveWay()
  t.notOk(perRecord<number, number>((n) => n)(batchOf(500), turn) instanceof Promise)
})

t.test('stages one after the other share the turn', async (t) => {
  const most = await mostBetweenTurns(async (onRecord) => await inOrder(slow(onRecord), slow(onRecord), slow(onRecord))(batchOf(3), createTurn(never)))
  t.ok(most < 9, `${most} steps in one go`)
})

t.test('of several runs each gets on', async (t) => {
  const order: string[] = []
  const run = async (name: string): Promise<void> => { await slow(() => { order.push(name) })(batchOf(20), createTurn(never)) }
  await Promise.all([run('a'), run('b')])
  t.ok(order.lastIndexOf('a') > order.indexOf('b') && order.slice(0, 20).filter((name) => name === 'b').length >= 4, order.join(''))
})

t.test('a run says whose step it is: whenever it is asked, and when it goes on', async (t) => {
  let told = 0
  const turn: Turn = createTurn(never, () => { told += 1 })
  turn.isOver()
  turn.isOver()
  t.equal(told, 2)
  await turn.giveWay()
  t.equal(told, 3)
})

t.test('the turn of a run that was aborted is over at once, and the run with it', async (t) => {
  const abort = new AbortController()
  const turn = createTurn(abort.signal)
  await turn.giveWay()
  t.notOk(turn.isOver())
  abort.abort(new Error('enough'))
  t.ok(turn.isOver())
  await t.rejects(turn.giveWay(), { message: 'enough' })
})

t.test('a pause ends with the run that is aborted', async (t) => {
  const abort = new AbortController()
  const paused = createTurn(abort.signal).pause(600_000)
  abort.abort(new Error('enough'))
  await t.rejects(paused, { message: 'enough' })
})

t.test('a single record that takes longer than a turn gives way between two stages', async (t) => {
  const most = await mostBetweenTurns(async (onRecord) => {
    const longer = perRecord<number, number>((n) => {
      onRecord()
      busyFor(30)
      return n
    })
    await inOrder(longer, longer, longer)(batchOf(1), createTurn(never))
  })
  t.equal(most, 1)
})

t.test('a pipeline that is aborted ends in the middle of a batch, and nothing of it happens afterwards', async (t) => {
  const abort = new AbortController()
  let done = 0
  const running = runPipeline<number, number>({
    source: Readable.from(['all']),
    decode: [new Transform({ objectMode: true, transform (_chunk, _encoding, next) { next(null, batchOf(1_000)) } })],
    stages: slow((n) => {
      done += 1
      if (n === 5) abort.abort(new Error('enough'))
    }),
    sink: { write: async () => { t.fail('nothing is to be written') }, flush: async () => {} },
    signal: abort.signal
  })
  await t.rejects(running)
  t.ok(done < 50, `${done} of 1,000 records`)
  const atEnd = done
  await new Promise((resolve) => { setImmediate(resolve) })
  t.equal(done, atEnd)
})
