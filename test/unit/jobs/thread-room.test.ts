import t from 'tap'
import { createThreadRoom, type JobRoom } from '../../../src/jobs/thread-room.js'

const running = new AbortController().signal

/** Whether it has room by the end of this turn of the loop. */
async function hasRoom (taking: Promise<void>): Promise<boolean> {
  let has = false
  taking.then(() => { has = true }, () => {})
  await new Promise(setImmediate)
  return has
}

async function filled (vendors: number): Promise<{ rooms: JobRoom[], roomFor: ReturnType<typeof createThreadRoom> }> {
  const roomFor = createThreadRoom(vendors)
  const rooms = Array.from({ length: vendors }, (_, index) => roomFor(`vendor-${index}`, running))
  await Promise.all(rooms.map(async ({ take }) => { await take() }))
  return { rooms, roomFor }
}

t.test('who is alone has room for as many batches as it makes', async (t) => {
  const { take } = createThreadRoom(1)('shop', running)
  t.ok(await hasRoom(Promise.all([take(), take(), take()]).then(() => {})))
})

t.test('a vendor more than fit waits until a batch of another is out of hand', async (t) => {
  const { rooms, roomFor } = await filled(3)
  const taking = roomFor('one more', running).take()
  t.notOk(await hasRoom(taking))
  rooms[1]?.free()
  t.ok(await hasRoom(taking))
})

t.test('beside others a vendor has one batch in hand, and alone again as many as it makes', async (t) => {
  const { rooms: [first, other], roomFor } = await filled(2)
  const oneMore = roomFor('one more', running)
  const waiting = oneMore.take()
  const second = first?.take() ?? Promise.reject(new Error('no room'))
  t.notOk(await hasRoom(second))
  other?.free()
  t.ok(await hasRoom(waiting))
  t.notOk(await hasRoom(second))
  oneMore.free()
  t.ok(await hasRoom(second))
})

t.test('a job that is over leaves its room to others', async (t) => {
  const { rooms, roomFor } = await filled(1)
  const taking = roomFor('next', running).take()
  rooms[0]?.drop()
  t.ok(await hasRoom(taking))
})

t.test('a job that is aborted while it waits gets none, and takes none from others once it is over', async (t) => {
  const { rooms, roomFor } = await filled(1)
  const abort = new AbortController()
  const aborted = roomFor('aborted', abort.signal)
  const waiting = t.rejects(aborted.take(), { message: 'cancelled' })
  const next = roomFor('next', running).take()
  abort.abort(new Error('cancelled'))
  await waiting
  await t.rejects(aborted.take(), { message: 'cancelled' })
  rooms[0]?.free()
  aborted.drop()
  t.ok(await hasRoom(next))
})

t.test('what is freed without having been taken is nobody else\'s', async (t) => {
  const { roomFor } = await filled(1)
  const other = roomFor('other', running)
  const taking = other.take()
  other.free()
  t.notOk(await hasRoom(taking))
})
