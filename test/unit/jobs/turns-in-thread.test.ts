import t from 'tap'
import type { FromImport, ToImport } from '../../../src/jobs/thread-messages.js'
import { turnsInThread, type TurnsInThread } from '../../../src/jobs/turns-in-thread.js'

/** A job in its thread; `give` is what its owner tells it, `told` what it has told. */
function started (): TurnsInThread & { told: FromImport[], give: (turn: number) => void, abort: AbortController, written: string[], write: (name: string) => () => Promise<string> } {
  const abort = new AbortController()
  const told: FromImport[] = []
  const written: string[] = []
  let listener = (_answer: ToImport): void => {}
  const turns = turnsInThread({ signal: abort.signal, tell: (message) => { told.push(message) }, onTold: (given) => { listener = given } })
  return {
    ...turns,
    told,
    give: (turn) => { listener({ turn }) },
    abort,
    written,
    write: (name) => async () => {
      written.push(name)
      return name
    }
  }
}

t.test('a write waits for its turn, and says when that is over', async (t) => {
  const { inTurn, told, give, write, written } = started()
  const [first, second] = [inTurn(write('a')), inTurn(write('b'))]
  t.strictSame(written, [])
  give(1)
  t.equal(await second, 'b')
  give(0)
  t.equal(await first, 'a')
  t.strictSame(told, [{ turnWanted: 0 }, { turnWanted: 1 }, { turnOver: 1 }, { turnOver: 0 }])
})

t.test('a write that fails ends its turn as well', async (t) => {
  const { inTurn, told, give } = started()
  const failing = inTurn(async () => { throw new Error('the database is away') })
  give(0)
  await t.rejects(failing, { message: 'the database is away' })
  t.strictSame(told, [{ turnWanted: 0 }, { turnOver: 0 }])
})

t.test('a job that is aborted waits for no turn, keeps no place in the line, and wants none any more', async (t) => {
  const { inTurn, told, give, abort, write, written } = started()
  const waiting = t.rejects(inTurn(write('a')), { message: 'cancelled' })
  abort.abort(new Error('cancelled'))
  await waiting
  give(0)
  await t.rejects(inTurn(write('b')), { message: 'cancelled' })
  t.strictSame(written, [])
  t.strictSame(told, [{ turnWanted: 0 }, { turnOver: 0 }])
})

t.test('a write that has its turn goes on when the job is aborted', async (t) => {
  const { inTurn, give, abort } = started()
  let end = (): void => {}
  const writing = inTurn(async () => { await new Promise<void>((resolve) => { end = resolve }) })
  give(0)
  await new Promise((resolve) => { setImmediate(resolve) })
  abort.abort(new Error('cancelled'))
  end()
  await t.resolves(writing)
})

t.test('a large record waits for its turn, and says when it is over', async (t) => {
  const { beginLarge, told, give } = started()
  const waiting = beginLarge()
  give(0)
  const over = await waiting
  t.strictSame(told, [{ largeWanted: 0 }])
  over()
  t.strictSame(told, [{ largeWanted: 0 }, { largeOver: 0 }])
})

t.test('a turn to write is none to have a large record in hand', async (t) => {
  const { beginLarge, inTurn, write, give, written, told } = started()
  const large = beginLarge()
  const writing = inTurn(write('a'))
  give(0)
  await large
  t.strictSame(written, [])
  give(1)
  await writing
  t.strictSame(told, [{ largeWanted: 0 }, { turnWanted: 1 }, { turnOver: 1 }])
})

t.test('a job that is aborted waits for no large record, and keeps no place in the line', async (t) => {
  const { beginLarge, told, abort } = started()
  const waiting = t.rejects(beginLarge(), { message: 'cancelled' })
  abort.abort(new Error('cancelled'))
  await waiting
  await t.rejects(beginLarge(), { message: 'cancelled' })
  t.strictSame(told, [{ largeWanted: 0 }, { largeOver: 0 }])
})
