import { randomBytes, randomInt } from 'node:crypto'
import t from 'tap'
import { EndOfFileError, readAhead, type ReadAheadOptions } from '../../../src/sources/sftp-read-ahead.js'

const content = randomBytes(300_000)
const turn = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve))

/** A server that holds `content` and gives at most `most()` bytes at a time. */
function served (most: () => number, options: Partial<ReadAheadOptions> = {}): { options: ReadAheadOptions, inFlight: () => number, peak: () => number, asked: number[] } {
  let inFlight = 0
  let peak = 0
  const asked: number[] = []
  return {
    inFlight: () => inFlight,
    peak: () => peak,
    asked,
    options: {
      read: async (buffer, position) => {
        peak = Math.max(peak, ++inFlight)
        asked.push(buffer.length)
        for (let turns = randomInt(4); turns >= 0; turns--) await turn() // answers come in any order
        inFlight--
        return content.copy(buffer, 0, position, Math.min(position + Math.max(1, most()), position + buffer.length))
      },
      from: 0,
      to: content.length,
      requests: 8,
      chunkBytes: 1000,
      ...options
    }
  }
}

async function collect (options: ReadAheadOptions): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of readAhead(options)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

t.test('bytes come in order whatever the order of the answers', async (t) => {
  t.ok((await collect(served(() => Infinity).options)).equals(content))
})

t.test('short reads are no end of file: the gap is asked for again', async (t) => {
  t.ok((await collect(served(() => randomInt(1, 1000)).options)).equals(content))
})

t.test('a server that always gives less is asked for less', async (t) => {
  const { options, asked } = served(() => 5000, { chunkBytes: 31_000 })
  t.ok((await collect(options)).equals(content))
  t.ok(asked.slice(60).every((length) => length <= 5000), 'and no gap is left to ask for')
})

t.test('a range is read exactly', async (t) => {
  t.ok((await collect(served(() => Infinity, { from: 12_345, to: 99_999 }).options)).equals(content.subarray(12_345, 99_999)))
  t.equal((await collect(served(() => Infinity, { from: 5, to: 5 }).options)).length, 0)
})

t.test('that all is asked for is told once, behind the last request and before its answer is given out', async (t) => {
  const told: number[] = []
  const { options, asked } = served(() => Infinity, { onAllAsked: () => { told.push(asked.length) } })
  await collect(options)
  t.strictSame(told, [300])
  const empty = served(() => Infinity, { from: 5, to: 5, onAllAsked: () => { told.push(0) } })
  await collect(empty.options)
  t.strictSame(told, [300, 0], 'of nothing, too')
})

t.test('no more requests are in flight than allowed', async (t) => {
  const { options, peak } = served(() => Infinity)
  await collect(options)
  t.equal(peak(), 8)
})

t.test('a consumer that stops taking stops the requests', async (t) => {
  const { options, asked, inFlight } = served(() => Infinity)
  const chunks = readAhead(options)
  await chunks.next()
  while (inFlight() > 0) await turn()
  for (let turns = 0; turns < 20; turns++) await turn()
  t.equal(asked.length, 9, 'eight, and one for the chunk that was taken')
  await chunks.return()
})

t.test('a file that ends too early is told', async (t) => {
  await t.rejects(collect(served(() => Infinity, { to: content.length + 1 }).options), EndOfFileError)
})

t.test('an error is thrown in its turn, after the bytes before it', async (t) => {
  const { options } = served(() => Infinity)
  let seen = 0
  const failing = readAhead({
    ...options,
    read: async (buffer, position) => {
      if (position >= 5000) throw new Error('lost')
      return await options.read(buffer, position)
    }
  })
  await t.rejects(async () => { for await (const chunk of failing) seen += chunk.length }, { message: 'lost' })
  t.equal(seen, 5000)
})
