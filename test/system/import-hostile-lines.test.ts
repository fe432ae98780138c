/** Lines that are made to hurt: each is an error of its line at most, and everything around it is imported. */
import { existsSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { file, line, product } from '../support/product-lines.js'
import { startServiceProcess } from '../support/service-process.js'
import { createVendor, type TestVendor } from '../support/vendor.js'

const service = await startServiceProcess(t)
const mebibyte = 1024 * 1024

/** Imports and gives the messages by line. */
async function messagesOf (t: Test, vendor: TestVendor, name: string, stats: object): Promise<Array<[line: number | null, message: string]>> {
  const job = await vendor.runImport({ files: [name], mode: 'UPDATE' })
  t.equal(job.status, 'completed')
  t.match(job.stats, stats)
  return job.errorDetails.map(({ line, message }) => [line, message])
}

/** A gzip file may have many members, which makes a bomb cheap to build: the same member again and again. */
const bomb = (member: Buffer, times: number, end: string): Buffer =>
  Buffer.concat([...Array.from({ length: times }, () => member), gzipSync(end)])

t.test('names that mean something to JavaScript or MongoDB are names', async (t) => {
  const vendor = await createVendor(service, 'names')
  const hostile = `{"externalId": "proto", "name": "N", "brandName": "B", "externalUrl": "https://x.example.com/", "__proto__": {"archived": true},
    "constructor": {"prototype": 1}, "$set": {"vendorId": "other"}, "a.b": 1, "meta:__proto__": "p", "meta:$where": "w", "meta:a.b": "d",
    "meta:constructor": {"__proto__": {"x": 1}}, "variants": [{"externalId": "__proto__", "name": "V", "inventoryByLocation": {"__proto__": 1, "$inc": 2}},
    {"externalId": "$v", "name": "W", "meta:toString": 1}]}`.replaceAll('\n', ' ')
  await vendor.put('a.jsonl', file(hostile, line('__proto__'), line('$where'), line('constructor'), line('a.b'), line('A\\u0000B')))
  t.strictSame(await messagesOf(t, vendor, 'a.jsonl', { productsProcessed: 6, productsCreated: 6 }), [])
  const { data } = await vendor.graphql(`{
    proto: product(externalId: "proto") { archived metafields { key value } variants { externalId metafields { key value } } }
    named: product(externalId: "__proto__") { name }
    where: product(externalId: "$where") { name }
  }`)
  t.strictSame(data, {
    proto: {
      archived: false,
      metafields: [
        { key: '__proto__', value: 'p' }, { key: '$where', value: 'w' }, { key: 'a.b', value: 'd' },
        { key: 'constructor', value: '{"__proto__":{"x":1}}' }
      ],
      variants: [{ externalId: '__proto__', metafields: [] }, { externalId: '$v', metafields: [{ key: 'toString', value: '1' }] }]
    },
    named: { name: 'Product __proto__' },
    where: { name: 'Product $where' }
  })
})

t.test('half characters, bytes that are no text, and nesting without end', async (t) => {
  const vendor = await createVendor(service, 'text')
  const depth = 100_000
  const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`
  const fields = JSON.stringify(product('deep')).slice(0, -1)
  await vendor.put('a.jsonl', Buffer.concat([
    Buffer.from(file(
      line('first'),
      line('half').replace('Product half', 'Product \\ud800'),
      JSON.stringify(product('half-key')).replace('{', '{"meta:\\udfff": "x", '),
      `${fields}, "meta:deep": ${deep}}`,
      `${fields}, "ignored": ${deep}}`.replaceAll('deep"', 'ignored"'),
      deep,
      `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
    )),
    Buffer.from('{"externalId": "bytes", "name": "'), Buffer.of(0xC3, 0x28), Buffer.from('"}\n'),
    Buffer.from(file(line('last')))
  ]))
  const messages = await messagesOf(t, vendor, 'a.jsonl', { productsProcessed: 9 })
  const byLine = new Map(messages)
  t.match(byLine.get(2), /^name contains a lone surrogate/)
  t.match(byLine.get(3), /lone surrogate/)
  t.match(byLine.get(4), /^meta:deep is nested deeper than/)
  t.match(byLine.get(6), 'A product must be a JSON object')
  t.match(byLine.get(7), String)
  t.equal(byLine.get(8), 'Invalid UTF-8')
  for (const number of [1, 9]) t.notOk(byLine.has(number))
  const { data } = await vendor.graphql('{ first: product(externalId: "first") { name } last: product(externalId: "last") { name } half: product(externalId: "half") { name } }')
  t.strictSame(data, { first: { name: 'Product first' }, last: { name: 'Product last' }, half: null })
})

t.test('a line over 16 MiB is an error of that line, one just below is read', async (t) => {
  const vendor = await createVendor(service, 'long')
  const long = (externalId: string, bytes: number): string => {
    const start = `${JSON.stringify(product(externalId)).slice(0, -1)}, "ignored": "`
    return `${start}${'x'.repeat(bytes - start.length - 2)}"}`
  }
  await vendor.put('a.jsonl', file(line('first'), long('over', 16 * mebibyte + 1), long('below', 16 * mebibyte), line('last')))
  t.strictSame(
    await messagesOf(t, vendor, 'a.jsonl', { productsProcessed: 4, productsCreated: 3, errors: 1 }),
    [[2, `Line is longer than ${16 * mebibyte} bytes`]]
  )
})

t.test('a gzip bomb of one line of zeros, 1 GiB', async (t) => {
  const vendor = await createVendor(service, 'zeros')
  await vendor.put('a.jsonl.gz', bomb(gzipSync(Buffer.alloc(64 * mebibyte)), 16, `\n${line('A')}\n`))
  t.strictSame(
    await messagesOf(t, vendor, 'a.jsonl.gz', { productsProcessed: 2, productsCreated: 1, errors: 1 }),
    [[1, `Line is longer than ${16 * mebibyte} bytes`]]
  )
})

t.test('a gzip bomb of many lines, each almost as long as allowed', async (t) => {
  const vendor = await createVendor(service, 'many')
  const member = gzipSync(Buffer.concat([Buffer.alloc(15 * mebibyte, '9'), Buffer.from('\n')]))
  await vendor.put('a.jsonl.gz', bomb(member, 8, file(line('A'))))
  const messages = await messagesOf(t, vendor, 'a.jsonl.gz', { productsProcessed: 9, productsCreated: 1, errors: 8 })
  t.strictSame(messages.map(([line]) => line), Array.from({ length: 8 }, (_, index) => index + 1))
})

t.test('a .json array with a bomb of an element', async (t) => {
  const vendor = await createVendor(service, 'array')
  await vendor.put('a.json.gz', Buffer.concat([
    gzipSync(`[${line('first')}, {"externalId": "over", "name": "`), bomb(gzipSync(Buffer.alloc(8 * mebibyte, 'x')), 4, `"}, ${line('last')}]`)
  ]))
  t.strictSame(
    await messagesOf(t, vendor, 'a.json.gz', { productsProcessed: 3, productsCreated: 2, errors: 1 }),
    [[2, `Line is longer than ${16 * mebibyte} bytes`]]
  )
})

t.test('the process has lived through it all, in bounded memory', async (t) => {
  const { status } = await fetch(`${service.url}/healthz`)
  t.equal(status, 200)
  // Nor had any job to begin anew, in a process whose memory would not be seen here.
  t.strictSame(service.logs.filter(({ msg }) => msg === 'a thread died'), [])
  const processStatus = `/proc/${service.pid}/status`
  if (!existsSync(processStatus)) return
  const [, peakKib] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(processStatus, 'utf8')) ?? []
  t.comment(`peak memory: ${Math.round(Number(peakKib) / 1024)} MiB`)
  t.ok(Number(peakKib) < 1024 * 1024, 'less than the 1 GiB that came out of one file alone')
})
