/** A database that answers when the test says so, and a clock that goes when the test says so. */
import t from 'tap'
import { createReadGate, type ReadGateOptions } from '../../../../src/store/reads/read-gate.js'

/** A read that waits keeps no process alive. */
const alive = setInterval(() => {}, 1_000)
t.teardown(() => { clearInterval(alive) })

interface Read { vendor: string, shape: string, isRefused: boolean, answer: () => Promise<void> }

function stub (options: ReadGateOptions = {}) {
  let now = 0
  let looks = 0
  const gate = createReadGate({ monotonicMs: () => { looks++; return now }, ...options })
  /** Commands that have reached the database and are not answered yet. */
  const atDatabase: Read[] = []
  const send = (vendor: string, shape = 'any'): Promise<unknown> => {
    const sent = gate.run(vendor, shape, async () => {
      await new Promise<void>((resolve) => {
        const read = { vendor, shape, isRefused: false, answer: async () => { atDatabase.splice(atDatabase.indexOf(read), 1); resolve(); await settled() } }
        atDatabase.push(read)
      })
    })
    sent.catch(() => {})
    return sent
  }
  const settled = async (): Promise<void> => { await new Promise((resolve) => { setImmediate(resolve) }) }
  return {
    gate,
    send,
    settled,
    atDatabase,
    vendors: () => atDatabase.map(({ vendor }) => vendor),
    pass: (ms: number) => { now += ms },
    /** At the clock, which is one for each cost that is looked up of a read under way. */
    looks: () => looks,
    /** One read of this shape that takes so long, alone. */
    async learn (vendor: string, shape: string, ms: number): Promise<void> {
      void send(vendor, shape)
      await settled()
      now += ms
      await atDatabase[0]?.answer()
    },
    /** The way to the database takes no time. */
    async learnWay (): Promise<void> { await this.learn('nobody', 'way', 0) }
  }
}

t.test('costly reads of one vendor go one at a time', async (t) => {
  const { send, settled, atDatabase, learn, learnWay } = stubbed()
  await learnWay()
  await learn('a', 'search', 500)
  for (let n = 0; n < 16; n++) void send('a', 'search')
  await settled()
  for (let n = 0; n < 16; n++) {
    t.equal(atDatabase.length, 1)
    await atDatabase[0]?.answer()
  }
  t.equal(atDatabase.length, 0)
})

t.test('what another vendor reads passes the ones that wait, cheap or costly', async (t) => {
  const { send, settled, vendors, learn, learnWay } = stubbed()
  await learnWay()
  for (const vendor of ['a', 'b']) await learn(vendor, 'search', 500)
  await learn('b', 'product', 1)
  for (let n = 0; n < 16; n++) void send('a', 'search')
  void send('b', 'product')
  void send('b', 'search')
  await settled()
  t.strictSame(vendors(), ['a', 'b', 'b'])
})

t.test('cheap reads of a vendor pass its own costly ones', async (t) => {
  const { send, settled, atDatabase, learn, learnWay } = stubbed()
  await learnWay()
  await learn('a', 'search', 500)
  await learn('a', 'product', 1)
  for (let n = 0; n < 3; n++) void send('a', 'search')
  void send('a', 'product')
  await settled()
  t.strictSame(atDatabase.map(({ shape }) => shape), ['search', 'product'])
})

t.test('of many vendors\' costly reads a few are under way, and the vendors take turns', async (t) => {
  const { send, settled, atDatabase, vendors, learn, learnWay } = stubbed()
  await learnWay()
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  for (const vendor of names) await learn(vendor, 'search', 500)
  for (const vendor of names) for (let n = 0; n < 2; n++) void send(vendor, 'search')
  await settled()
  t.strictSame(vendors(), ['a', 'b', 'c', 'd'])
  await atDatabase[0]?.answer()
  await atDatabase[0]?.answer()
  t.strictSame(vendors(), ['c', 'd', 'e', 'f'], 'before the second of a and b')
})

t.test('a read that turns out to be costly counts as one before it has ended', async (t) => {
  const { send, settled, atDatabase, pass, learn, learnWay } = stubbed()
  await learnWay()
  await learn('a', 'x', 200)
  void send('a', 'never seen')
  await settled()
  pass(200)
  void send('a', 'x')
  await settled()
  t.equal(atDatabase.length, 1)
})

t.test('however cheap they are, one vendor has a few under way', async (t) => {
  const { send, settled, atDatabase, learn, learnWay } = stubbed()
  await learnWay()
  await learn('a', 'product', 0.5)
  for (let n = 0; n < 100; n++) void send('a', 'product')
  await settled()
  t.equal(atDatabase.length, 8)
})

t.test('a database that is far away makes no read costly', async (t) => {
  const { send, settled, atDatabase, learn } = stubbed()
  for (let n = 0; n < 5; n++) await learn('a', 'product', 80)
  for (let n = 0; n < 5; n++) void send('a', 'product')
  await settled()
  t.equal(atDatabase.length, 5)
})

const eight = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']

t.test('nor does one that is far away and has many cheap reads on their way keep a costly one of somebody else waiting', async (t) => {
  const { send, settled, vendors, pass, learn } = stubbed()
  for (const vendor of eight) await learn(vendor, 'product', 60)
  await learn('searcher', 'search', 500)
  for (const vendor of eight) void send(vendor, 'product')
  await settled()
  pass(59)
  void send('searcher', 'search')
  await settled()
  t.strictSame(vendors(), [...eight, 'searcher'])
})

t.test('nor does a busy one whose time many cheap reads share', async (t) => {
  const { send, settled, vendors, pass, learn, learnWay } = stubbed()
  await learnWay()
  for (const vendor of eight) await learn(vendor, 'product', 1)
  await learn('searcher', 'search', 500)
  for (const vendor of eight) void send(vendor, 'product')
  await settled()
  pass(100)
  void send('searcher', 'search')
  await settled()
  t.strictSame(vendors(), [...eight, 'searcher'])
})

t.test('a read that shared the database with others is not taken for a costly one', async (t) => {
  const { send, settled, atDatabase, pass, learn, learnWay } = stubbed()
  await learnWay()
  await learn('a', 'search', 500)
  await learn('b', 'search', 500)
  await learn('c', 'search', 500)
  await learn('d', 'product', 1)
  for (const vendor of ['a', 'b', 'c']) void send(vendor, 'search')
  void send('d', 'product')
  await settled()
  pass(40)
  await atDatabase.at(-1)?.answer()
  for (let n = 0; n < 4; n++) void send('d', 'product')
  await settled()
  t.equal(atDatabase.filter(({ vendor }) => vendor === 'd').length, 4)
})

t.test('who alternates between cheap and costly reads of one shape is known by the costly ones', async (t) => {
  const { send, settled, atDatabase, learn, learnWay } = stubbed()
  await learnWay()
  for (let n = 0; n < 4; n++) {
    await learn('a', 'search', 900)
    await learn('a', 'search', 1)
  }
  for (let n = 0; n < 4; n++) void send('a', 'search')
  await settled()
  t.equal(atDatabase.length, 1)
})

t.test('a vendor that is new is believed to have what others have', async (t) => {
  const { send, settled, atDatabase, learn, learnWay } = stubbed()
  await learnWay()
  await learn('a', 'search', 900)
  for (let n = 0; n < 4; n++) void send('new', 'search')
  await settled()
  t.equal(atDatabase.length, 1)
})

t.test('a read that would wait for too long is refused, and asks nothing of the database', async (t) => {
  const { send, settled, atDatabase, gate, learn, learnWay } = stubbed({ maxWaitMs: 1 })
  await learnWay()
  await learn('a', 'search', 900)
  void send('a', 'search')
  await t.rejects(send('a', 'search'), { code: 'RATE_LIMITED', retryAfterSeconds: Number })
  t.equal(atDatabase.length, 1)
  await atDatabase[0]?.answer()
  await settled()
  t.match(gate.state(), { owners: 0, underWay: 0, waiting: 0, refused: 1 })
})

t.test('one vendor has only so many reads wait, which keeps nobody else from waiting', async (t) => {
  const { send, settled, atDatabase, gate, learn, learnWay } = stubbed({ maxWaitingOfOne: 3 })
  await learnWay()
  for (const vendor of ['a', 'b']) await learn(vendor, 'search', 900)
  for (let n = 0; n < 4; n++) void send('a', 'search')
  await t.rejects(send('a', 'search'), { code: 'RATE_LIMITED' })
  for (let n = 0; n < 2; n++) void send('b', 'search')
  await settled()
  t.match(gate.state(), { underWay: 2, waiting: 4 })
  while (atDatabase.length > 0) await atDatabase[0]?.answer()
})

t.test('cheap reads that turn out to be costly take the places of costly ones, each once', async (t) => {
  const { send, settled, atDatabase, vendors, pass, learn, learnWay } = stubbed()
  await learnWay()
  const four = eight.slice(0, 4)
  for (const vendor of four) await learn(vendor, 'product', 1)
  await learn('searcher', 'search', 500)
  for (const vendor of four) void send(vendor, 'product')
  await settled()
  pass(400)
  for (let n = 0; n < 2; n++) void send('searcher', 'search')
  await settled()
  t.strictSame(vendors(), four)
  await atDatabase[0]?.answer()
  t.strictSame(vendors(), [...four.slice(1), 'searcher'])
  await atDatabase[0]?.answer()
  t.strictSame(vendors(), [...four.slice(2), 'searcher'], 'of one vendor one at a time')
})

t.test('what the end of a read costs grows with the vendors that wait, not with all that is under way for each of them', async (t) => {
  const { send, settled, atDatabase, gate, looks, learn, learnWay } = stubbed()
  await learnWay()
  await learn('a', 'product', 1)
  await learn('a', 'search', 500)
  const vendors = 200
  for (let n = 0; n < vendors; n++) {
    void send(`vendor ${n}`, 'product')
    void send(`vendor ${n}`, 'search')
  }
  await settled()
  t.match(gate.state(), { underWay: vendors + 4, waiting: vendors - 4 })
  const before = looks()
  await atDatabase[0]?.answer()
  t.ok(looks() - before < 10 * vendors, `${looks() - before} costs looked up`)
})

t.test('a read that fails gives its place away, and fails with what the database said', async (t) => {
  const gate = createReadGate()
  for (let n = 0; n < 20; n++) {
    await t.rejects(gate.run('a', 'search', async () => { throw new Error('no such host') }), { message: 'no such host' })
  }
  t.match(gate.state(), { owners: 0, underWay: 0, waiting: 0 })
})

function stubbed (options: ReadGateOptions = {}) {
  const stubs = stub(options)
  return { ...stubs, learn: stubs.learn.bind(stubs), learnWay: stubs.learnWay.bind(stubs) }
}
