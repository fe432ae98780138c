import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import t, { type Test } from 'tap'
import { memoryUploads } from '../../../support/memory-files.js'
import { testApi } from '../test-api.js'

const bytesType = 'application/offset+octet-stream'
const tus = { 'tus-resumable': '1.0.0' }
const metadata = (name: string): string => `filename ${Buffer.from(name).toString('base64')}`

interface Uploads {
  app: FastifyInstance
  contents: Map<string, Buffer>
  send (options: InjectOptions, vendorId?: string): Promise<LightMyRequestResponse>
  /** Gives the upload's address. */
  create (name: string, length: number): Promise<string>
  patch (address: string, offset: number, body: string): Promise<LightMyRequestResponse>
}

async function uploads (t: Test): Promise<Uploads> {
  const contents = new Map<string, Buffer>()
  const { app, keyOf } = await testApi(t, { dependencies: { files: memoryUploads(contents) } })
  const keys = new Map([['acme', await keyOf('acme')], ['other', await keyOf('other')]])
  const send = async (options: InjectOptions, vendorId = 'acme'): Promise<LightMyRequestResponse> =>
    await app.inject({ ...options, headers: { 'x-vendor-api-key': keys.get(vendorId), ...tus, ...options.headers } })
  return {
    app,
    contents,
    send,
    async create (name, length) {
      const response = await send({ method: 'POST', url: '/api/v1/files', headers: { 'upload-length': String(length), 'upload-metadata': metadata(name) } })
      if (response.statusCode !== 201) throw new Error(response.body)
      return String(response.headers['location'])
    },
    patch: async (address, offset, body) =>
      await send({ method: 'PATCH', url: address, headers: { 'upload-offset': String(offset), 'content-type': bytesType }, payload: body })
  }
}

const refusal = (response: LightMyRequestResponse): unknown => [response.statusCode, response.json<{ error: { code: string } }>().error.code]

t.test('a file that comes in pieces has its name once it is whole, not before', async (t) => {
  const { create, patch, contents, send } = await uploads(t)
  const address = await create('a.jsonl', 6)
  t.equal((await patch(address, 0, 'abc')).headers['upload-offset'], '3')
  t.notOk(contents.has('acme/a.jsonl'))
  const asked = await send({ method: 'HEAD', url: address })
  t.match(asked.headers, { 'upload-offset': '3', 'upload-length': '6', 'tus-resumable': '1.0.0' })
  t.equal((await patch(address, 3, 'def')).statusCode, 204)
  t.strictSame([...contents].map(([path, content]) => [path, content.toString()]), [['acme/a.jsonl', 'abcdef']])
})

t.test('one request is enough for a file that fits into it', async (t) => {
  const { send, contents } = await uploads(t)
  const response = await send({
    method: 'POST', url: '/api/v1/files', headers: { 'upload-length': '3', 'upload-metadata': metadata('a.jsonl.gz'), 'content-type': bytesType }, payload: 'abc'
  })
  t.equal(response.statusCode, 201)
  t.equal(response.headers['upload-offset'], '3')
  t.equal(contents.get('acme/a.jsonl.gz')?.toString(), 'abc')
})

t.test('an upload goes on where it is, and nowhere else', async (t) => {
  const { create, patch } = await uploads(t)
  const address = await create('a.jsonl', 6)
  await patch(address, 0, 'abc')
  for (const offset of [0, 2, 4]) t.strictSame(refusal(await patch(address, offset, 'x')), [409, 'CONFLICT'])
})

t.test('more bytes than were announced are refused, and the file stays unfinished', async (t) => {
  const { create, patch, contents } = await uploads(t)
  t.strictSame(refusal(await patch(await create('a.jsonl', 2), 0, 'abc')), [400, 'BAD_USER_INPUT'])
  t.notOk(contents.has('acme/a.jsonl'))
})

t.test('who asks again after the end learns that it is whole', async (t) => {
  const { create, patch, send } = await uploads(t)
  const address = await create('a.jsonl', 3)
  await patch(address, 0, 'abc')
  t.equal((await send({ method: 'HEAD', url: address })).headers['upload-offset'], '3')
})

t.test('an upload that is ended is gone', async (t) => {
  const { create, patch, send, contents } = await uploads(t)
  const address = await create('a.jsonl', 6)
  await patch(address, 0, 'abc')
  t.equal((await send({ method: 'DELETE', url: address })).statusCode, 204)
  t.equal(contents.size, 0)
  t.strictSame(refusal(await patch(address, 3, 'def')), [404, 'NOT_FOUND'])
})

t.test('another vendor\'s upload does not exist', async (t) => {
  const { create, send, contents } = await uploads(t)
  const address = await create('a.jsonl', 3)
  const response = await send({ method: 'PATCH', url: address, headers: { 'upload-offset': '0', 'content-type': bytesType }, payload: 'abc' }, 'other')
  t.strictSame(refusal(response), [404, 'NOT_FOUND'])
  t.notOk([...contents.keys()].some((path) => path.startsWith('other/')))
})

t.test('names that no import could have are refused', async (t) => {
  const { send } = await uploads(t)
  for (const name of ['../a.jsonl', 'a/b.jsonl', '.upload-a.jsonl', '.a.jsonl', 'a.exe', '', `${'\u00e9'.repeat(200)}.jsonl`]) {
    const response = await send({ method: 'POST', url: '/api/v1/files', headers: { 'upload-length': '3', 'upload-metadata': metadata(name) } })
    t.strictSame(refusal(response), [400, 'BAD_USER_INPUT'], name)
  }
})

t.test('a size that is none, or is beyond any bound, is refused', async (t) => {
  const { send } = await uploads(t)
  for (const length of ['-1', '1e3', 'x', String(60 * 1024 ** 3)]) {
    const response = await send({ method: 'POST', url: '/api/v1/files', headers: { 'upload-length': length, 'upload-metadata': metadata('a.jsonl') } })
    t.strictSame(refusal(response), [400, 'BAD_USER_INPUT'], length)
  }
})

t.test('without the permission nothing is taken', async (t) => {
  const { app, keyOf } = await testApi(t)
  const key = await keyOf('acme', ['VIEW_CONVERSATIONS'])
  t.strictSame(refusal(await app.inject({ method: 'POST', url: '/api/v1/files', headers: { ...tus, 'x-vendor-api-key': key } })), [403, 'FORBIDDEN'])
})

t.test('what is there is listed, without what is still coming', async (t) => {
  const { create, patch, send } = await uploads(t)
  await patch(await create('a.jsonl', 3), 0, 'abc')
  await patch(await create('b.jsonl', 6), 0, 'abc')
  const response = await send({ method: 'GET', url: '/api/v1/files' })
  t.strictSame(response.json(), { success: true, files: [{ name: 'a.jsonl', size: 3, uploadedAt: '1970-01-01T00:00:00.000Z' }] })
})

t.test('a JSON body is no file', async (t) => {
  const { create, send } = await uploads(t)
  const response = await send({ method: 'PATCH', url: await create('a.jsonl', 3), headers: { 'upload-offset': '0' }, payload: { a: 1 } })
  t.ok(response.statusCode >= 400 && response.statusCode < 500, response.body)
})
