import t from 'tap'
import { createAddressPlaces } from '../../../src/api/address-places.js'

t.test('an address holds as many places as it may, and one more when it has left one', (t) => {
  const places = createAddressPlaces(2)
  const leave = places.take('192.0.2.1')
  t.ok(places.take('192.0.2.1'))
  t.equal(places.take('192.0.2.1'), null)
  leave?.()
  t.ok(places.take('192.0.2.1'))
  t.end()
})

t.test('a place that is left twice is left once', (t) => {
  const places = createAddressPlaces(2)
  const leave = places.take('192.0.2.1')
  places.take('192.0.2.1')
  leave?.()
  leave?.()
  t.ok(places.take('192.0.2.1'))
  t.equal(places.take('192.0.2.1'), null)
  t.end()
})

for (const [what, one, same] of [
  ['an IPv6 address is its /64 network', '2001:db8:1:2::1', '2001:db8:1:2:ffff::9'],
  ['an IPv4 address is the same in IPv6', '192.0.2.1', '::ffff:192.0.2.1']
] as const) {
  t.test(what, (t) => {
    const places = createAddressPlaces(1)
    t.ok(places.take(one))
    t.equal(places.take(same), null)
    t.end()
  })
}

t.test('the next network and the next address have places of their own', (t) => {
  const places = createAddressPlaces(1)
  for (const address of ['2001:db8:1:2::1', '2001:db8:1:3::1', '192.0.2.1', '192.0.2.2']) t.ok(places.take(address))
  t.end()
})
