/** Product import over REST (interface.md, "REST: product import"). */
import type { AddressInfo } from 'node:net'
import { request as httpRequest } from 'node:http'
import t from 'tap'
import type { JobIssue } from '../../src/domain/issue.js'
import { testApi } from '../unit/api/test-api.js'

let issues: (() => AsyncIterable<JobIssue>) | null = null
const api = await testApi(t, {
  repositories: (real) => ({
    ...real,
    importIssues: { ...real.importIssues, stream: (...args) => issues?.() ?? real.importIssues.stream(...args) }
  })
})
const path = '/api/v1/products/import'
const body = { files: ['full.jsonl.gz'], mode: 'REPLACE' }
const key = await api.keyOf('shop')

const post = async (key: string, payload: unknown, contentType = 'application/json') => await api.app.inject({
  method: 'POST',
  url: path,
  headers: { 'x-vendor-api-key': key, 'content-type': contentType },
  payload: typeof payload === 'string' ? payload : JSON.stringify(payload)
})
const get = async (key: string, url: string) => await api.app.inject({ url, headers: { 'x-vendor-api-key': key } })

t.test('an accepted job: 202', async (t) => {
  const response = await post(key, body)
  t.equal(response.statusCode, 202)
  const { jobId, ...rest } = response.json<{ jobId: string }>()
  t.match(jobId, /^[0-9a-f-]{36}$/)
  t.strictSame(rest, { success: true, status: 'queued', mode: 'REPLACE' })
})

const wrong: Array<[payload: unknown, message: string, field?: string]> = [
  [{ mode: 'UPDATE' }, '"files" is required', 'files'],
  [{ files: ['a.jsonl'] }, '"mode" is required', 'mode'],
  [{ ...body, files: null }, '"files" is required', 'files'],
  [{ ...body, files: 'a.jsonl' }, 'files must be an array of strings', 'files'],
  [{ ...body, files: ['a.jsonl', 1] }, 'files[1] must be a string', 'files[1]'],
  [{ ...body, files: [] }, 'files must name at least one file', 'files'],
  [{ ...body, mode: 'replace' }, 'mode must be one of REPLACE, UPDATE', 'mode'],
  [{ ...body, mode: ['REPLACE'] }, 'mode must be one of REPLACE, UPDATE', 'mode'],
  [{ ...body, dryRun: 'yes' }, 'dryRun must be a boolean', 'dryRun'],
  [{ ...body, maxArchivePercent: '5' }, 'maxArchivePercent must be a number', 'maxArchivePercent'],
  [{ ...body, maxArchivePercent: 101 }, 'maxArchivePercent must be from 0 to 100', 'maxArchivePercent'],
  [{ ...body, idempotencyKey: 1 }, 'idempotencyKey must be a string', 'idempotencyKey'],
  [{ ...body, idempotencyKey: '' }, 'idempotencyKey must be 1 to 255 characters', 'idempotencyKey'],
  [[], 'The body must be a JSON object'],
  ['null', 'The body must be a JSON object']
]
for (const [payload, message, field] of wrong) {
  t.test(`400: ${message} (${JSON.stringify(payload)})`, async (t) => {
    const response = await post(key, payload)
    t.equal(response.statusCode, 400)
    t.strictSame(response.json(), { success: false, error: { code: 'BAD_USER_INPUT', message, ...(field === undefined ? {} : { field }) } })
  })
}

const unreadable: Array<[what: string, payload: string, contentType?: string]> = [
  ['malformed JSON', '{"files": ['], ['an empty body', ''], ['text', JSON.stringify(body), 'text/plain'], ['XML', '<files/>', 'application/xml'],
  ['__proto__', '{"files": ["a.jsonl"], "mode": "UPDATE", "__proto__": {"dryRun": true}}'], ['more than 1 MiB', JSON.stringify({ ...body, padding: 'x'.repeat(1_048_576) })]
]
for (const [what, payload, contentType] of unreadable) {
  t.test(`400: ${what}`, async (t) => {
    const response = await post(key, payload, contentType)
    t.equal(response.statusCode, 400)
    t.match(response.json(), { success: false, error: { code: 'BAD_USER_INPUT', message: /./ } })
  })
}

t.test('404 in the same shape for what does not exist', async (t) => {
  for (const url of ['/', '/api/v1/nothing', '/api/v2/products/import']) {
    const response = await get(key, url)
    t.equal(response.statusCode, 404)
    t.match(response.json(), { success: false, error: { code: 'NOT_FOUND', message: String } })
  }
})

t.test('a URL that cannot be decoded or is too long: 400 in the same shape', async (t) => {
  for (const id of ['%zz', 'x'.repeat(300)]) {
    const response = await get(key, `${path}/${id}`)
    t.equal(response.statusCode, 400)
    t.match(response.json(), { success: false, error: { code: 'BAD_USER_INPUT' } })
  }
})

t.test('the 21st job: 429, also when fifty are sent at once', async (t) => {
  const crowd = await api.keyOf('crowd')
  const codes = (await Promise.all(Array.from({ length: 50 }, async () => await post(crowd, body)))).map(({ statusCode }) => statusCode)
  t.equal(codes.filter((code) => code === 202).length, 20)
  t.equal(codes.filter((code) => code === 429).length, 30)
  t.match((await post(crowd, body)).json(), { success: false, error: { code: 'LIMIT_EXCEEDED' } })
})

t.test('an idempotency key that is sent again gives the first job', async (t) => {
  const again = await api.keyOf('again')
  const [first, ...others] = await Promise.all(Array.from({ length: 5 }, async () => (await post(again, { ...body, idempotencyKey: 'k' })).json<{ jobId: string }>().jobId))
  t.ok(others.every((jobId) => jobId === first))
})

t.test('a job has exactly the fields of the interface', async (t) => {
  const fields = await api.keyOf('fields')
  const id = await api.startJob('fields')
  const waiting = await get(fields, `${path}/${id}`)
  t.strictSame(waiting.json(), { success: true, jobId: id, status: 'queued', mode: 'UPDATE', stats: null, errorDetails: [], completedAt: null })
  await api.repositories.importIssues.add('fields', id, [
    { severity: 'error', position: { file: 0, line: 2 }, file: 'a.jsonl', line: 2, externalId: 'p', faults: [{ code: 'required', path: 'name' }] }
  ])
  await api.endJob('fields', id)
  const { completedAt, ...over } = (await get(fields, `${path}/${id}`)).json<{ completedAt: string }>()
  t.match(completedAt, /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/)
  t.strictSame(over, {
    success: true,
    jobId: id,
    status: 'completed',
    mode: 'UPDATE',
    stats: { productsProcessed: 3, productsCreated: 3, productsUpdated: 0, productsArchived: 0, productsSkipped: 0, errors: 0 },
    errorDetails: [{ line: 2, externalId: 'p', message: '"name" is required' }]
  })
})

t.test('jobs of others read as not existing', async (t) => {
  await api.keyOf('private')
  const id = await api.startJob('private')
  for (const url of [`${path}/${id}`, `${path}/${id}/errors`, `${path}/unknown`]) {
    const response = await get(key, url)
    t.equal(response.statusCode, 404)
    t.strictSame(response.json(), { success: false, error: { code: 'NOT_FOUND', message: 'No such import job' } })
  }
})

t.test('all issues as JSON Lines', async (t) => {
  const lines = await api.keyOf('lines')
  const id = await api.startJob('lines')
  await api.repositories.importIssues.add('lines', id, [
    { severity: 'warning', position: { file: 0, line: 1 }, file: 'a', line: 1, externalId: 'w', faults: [{ code: 'unknown-size-chart', path: 'sizeChartExternalId', detail: 'x' }] },
    { severity: 'error', position: { file: 0, line: 2 }, file: 'a', line: 2, externalId: null, faults: [{ code: 'malformed-json', path: '' }] }
  ])
  const response = await get(lines, `${path}/${id}/errors`)
  t.equal(response.headers['content-type'], 'application/x-ndjson')
  t.strictSame(response.body.trimEnd().split('\n').map((line) => JSON.parse(line) as unknown), [
    { severity: 'error', file: 'a', line: 2, externalId: null, message: 'Malformed JSON', faults: [{ code: 'malformed-json', path: '', detail: null }] },
    {
      severity: 'warning',
      file: 'a',
      line: 1,
      externalId: 'w',
      message: 'sizeChartExternalId names an unknown size chart, cleared: "x"',
      faults: [{ code: 'unknown-size-chart', path: 'sizeChartExternalId', detail: 'x' }]
    }
  ])
})

t.test('a job without issues gives an empty body', async (t) => {
  const none = await api.keyOf('none')
  t.equal((await get(none, `${path}/${await api.startJob('none')}/errors`)).body, '')
})

t.test('a client that does not read is not read for, and one that leaves stops the reading', async (t) => {
  const slow = await api.keyOf('slow')
  const id = await api.startJob('slow')
  let read = 0
  const stopped = new Promise<void>((resolve) => {
    issues = async function * () {
      try {
        for (; read < 1_000_000; read++) yield { severity: 'error', file: 'a', line: read, externalId: 'x'.repeat(200), faults: [] }
      } finally {
        resolve()
      }
    }
  })
  t.teardown(() => { issues = null })
  await api.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = api.app.server.address() as AddressInfo
  const request = httpRequest({ host: '127.0.0.1', port, path: `${path}/${id}/errors`, headers: { 'x-vendor-api-key': slow } })
  const response = await new Promise<NodeJS.ReadableStream & { destroy (): void }>((resolve) => { request.on('response', resolve).end() })
  // The buffers of both sides fill up: then nothing more is read.
  for (let before = -1; before !== read;) {
    before = read
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  t.ok(read > 0 && read < 200_000, `${read} issues read`)
  response.destroy()
  await stopped
})
