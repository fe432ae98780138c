import { createConnection } from 'node:net'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { generateEd25519KeyPair } from '../../../src/sftp/key-pair.js'
import { createPenalties } from '../../../src/sftp/penalties.js'
import { asVendor, eventually, login, startServer } from './harness.js'

function setUp (exempt: string[] = []) {
  const clock = { ms: 0 }
  return { clock, ...createPenalties({ exempt, monotonicMs: () => clock.ms }) }
}

t.test('three refused logins close the door for 15 s', (t) => {
  const { add, isRefused, clock } = setUp()
  t.notOk(add('192.0.2.1', 'wrong-credentials'))
  t.notOk(add('192.0.2.1', 'wrong-credentials'))
  t.notOk(isRefused('192.0.2.1'))
  t.ok(add('192.0.2.1', 'wrong-credentials'), 'told once')
  t.ok(isRefused('192.0.2.1'))
  t.notOk(add('192.0.2.1', 'no-credentials'), 'not again')
  t.notOk(isRefused('192.0.2.2'), 'nobody else')
  clock.ms = 15_999
  t.ok(isRefused('192.0.2.1'))
  clock.ms = 16_001
  t.notOk(isRefused('192.0.2.1'))
  t.end()
})

t.test('a penalty runs off with time: rare failures are never punished', (t) => {
  const { add, isRefused, clock } = setUp()
  for (let round = 0; round < 20; round++) {
    add('192.0.2.1', 'wrong-credentials')
    clock.ms += 5_000
    t.notOk(isRefused('192.0.2.1'))
  }
  t.end()
})

t.test('no penalty is longer than ten minutes', (t) => {
  const { add, isRefused, clock } = setUp()
  for (let round = 0; round < 1_000; round++) add('192.0.2.1', 'too-slow')
  clock.ms = 600_001
  t.notOk(isRefused('192.0.2.1'))
  t.end()
})

t.test('of IPv6 a whole /64 is one source, and IPv4 in its IPv6 form is the same', (t) => {
  const { add, isRefused } = setUp()
  for (const address of ['2001:db8::1', '2001:db8::2', '2001:db8:0:0:ffff::3']) add(address, 'wrong-credentials')
  t.ok(isRefused('2001:db8::4'))
  t.notOk(isRefused('2001:db8:0:1::1'))
  for (const address of ['192.0.2.1', '::ffff:192.0.2.1', '::ffff:c000:201']) add(address, 'wrong-credentials')
  t.ok(isRefused('192.0.2.1'))
  t.end()
})

t.test('exempted addresses and networks are never refused', (t) => {
  const { add, isRefused } = setUp(['10.0.0.0/8', '::1/128', '192.0.2.7'])
  for (const address of ['10.1.2.3', '::1', '192.0.2.7', '::ffff:10.1.2.3']) {
    for (let round = 0; round < 20; round++) add(address, 'too-slow')
    t.notOk(isRefused(address), address)
  }
  t.end()
})

t.test('a flood of sources is forgotten, not remembered without end', (t) => {
  const { add, isRefused } = setUp()
  for (let round = 0; round < 3; round++) add('192.0.2.1', 'wrong-credentials')
  for (let n = 0; n < 10_000; n++) add(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`, 'no-credentials')
  t.notOk(isRefused('192.0.2.1'))
  t.end()
})

t.test('an address that keeps failing is turned away before the handshake, and in OpenSSH\'s words', async (t) => {
  const running = await startServer(t, { limits: { penaltyExempt: [] } })
  const attempt = async (): Promise<void> => {
    await login(t, { port: running.port, username: 'acme', privateKey: generateEd25519KeyPair('').private })
  }
  // A fourth: some of the first three's penalty has run off by then.
  for (let round = 0; round < 4; round++) await t.rejects(attempt())
  await eventually(() => running.logText().includes('refused for a while'))
  const socket = createConnection(running.port, '127.0.0.1')
  t.equal(await text(socket), 'Not allowed at this time\r\n')
  await t.rejects(asVendor(t, running))
})

t.test('who logs in is not punished for the keys that it tried before', async (t) => {
  const running = await startServer(t, { limits: { penaltyExempt: [] } })
  for (let round = 0; round < 5; round++) {
    const sftp = await asVendor(t, running)
    sftp.client.destroy()
  }
  await t.resolves(asVendor(t, running))
})
