import t from 'tap'
import { createRequestRoom } from '../../../src/api/request-room.js'

const mebibyte = 1_024 * 1_024

t.test('of one owner a number and so many bytes are in there', (t) => {
  const room = createRequestRoom('arriving')
  const stays = Array.from({ length: 16 }, () => room.enter('a', 1))
  t.throws(() => room.enter('a', 1), { code: 'LIMIT_EXCEEDED', message: 'At most 16 large requests may be arriving at a time; wait for answers before you send more' })
  stays[0]?.leave()
  t.throws(() => room.enter('a', 33 * mebibyte), { code: 'LIMIT_EXCEEDED', message: /may have 33554432 bytes in all/ })
  room.enter('a', 1)
  t.end()
})

t.test('all owners together have so many bytes, and what is beside an owner\'s first has room of its own', (t) => {
  const room = createRequestRoom('arriving')
  for (let n = 0; n < 7; n++) room.enter(`owner ${n}`, 16 * mebibyte)
  room.enter('owner 0', 16 * mebibyte)
  room.enter('owner 1', 16 * mebibyte)
  t.throws(() => room.enter('owner 2', 1), { code: 'SERVICE_UNAVAILABLE' })
  const last = room.enter('new', 16 * mebibyte)
  t.throws(() => room.enter('newer', 1), { code: 'SERVICE_UNAVAILABLE' })
  last.leave()
  room.enter('newer', 1)
  t.end()
})

t.test('one that has left once has left, and a refused one never was there', (t) => {
  const room = createRequestRoom('arriving')
  const stay = room.enter('a', 16 * mebibyte)
  room.enter('a', 16 * mebibyte)
  t.throws(() => room.enter('a', 1))
  stay.leave()
  stay.leave()
  room.enter('a', 16 * mebibyte)
  t.throws(() => room.enter('a', 1))
  t.end()
})

t.test('what one holds may change', (t) => {
  const room = createRequestRoom('being answered')
  const stay = room.enter('a', 32 * mebibyte)
  stay.hold(0)
  room.enter('a', 32 * mebibyte)
  t.throws(() => room.enter('a', 1), { message: /that are being answered/ })
  t.end()
})
