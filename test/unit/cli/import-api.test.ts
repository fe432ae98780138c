import { createServer, type AddressInfo } from 'node:net'
import t from 'tap'
import { ApiAwayError, createImportApi } from '../../../src/cli/import-api.js'
import { jobId, startImportService, type Answer } from './support/import-service.js'

const signal = new AbortController().signal
const key = 'svc_secret'
const restError = (code: string, message: string) => ({ success: false, error: { code, message } })

t.test('an import is started with the key in its header', async (t) => {
  const service = await startImportService(t, () => ({ status: 202, body: { success: true, jobId, status: 'queued', mode: 'UPDATE' } }))
  const api = createImportApi({ url: `${service.url}/`, key, signal })
  t.equal(await api.start(['a.jsonl', 'b.jsonl.gz'], 'UPDATE'), jobId)
  t.same(service.received, [{ method: 'POST', path: '/api/v1/products/import', key, body: { files: ['a.jsonl', 'b.jsonl.gz'], mode: 'UPDATE' } }])
})

t.test('a service below a path is called below it', async (t) => {
  const service = await startImportService(t, () => ({ body: { status: 'queued', jobId } }))
  await createImportApi({ url: `${service.url}/catalog`, key, signal }).find(jobId)
  t.equal(service.received[0]?.path, `/catalog/api/v1/products/import/${jobId}`)
})

t.test('access is checked without an import: an unknown one is not an error', async (t) => {
  const service = await startImportService(t, () => ({ status: 404, body: restError('NOT_FOUND', 'No such import job') }))
  await createImportApi({ url: service.url, key, signal }).checkAccess()
  t.equal(service.received[0]?.method, 'GET')
})

const refusals: Array<[string, Answer, RegExp, boolean]> = [
  ['a wrong key', { status: 401, body: restError('UNAUTHENTICATED', 'Unknown API key') }, /^The API key was refused: Unknown API key$/, false],
  ['a key without the permission', { status: 403, body: restError('FORBIDDEN', 'Not permitted') }, /FORBIDDEN.*need PRODUCT_MANAGE/, false],
  ['a full queue', { status: 429, body: restError('LIMIT_EXCEEDED', 'At most 20 import jobs') }, /takes no further import now.*At most 20 import jobs/, false],
  ['too many requests', { status: 429, body: restError('RATE_LIMITED', 'Slow down') }, /too many requests: Slow down/, true],
  ['a service that is not ready', { status: 503, body: restError('SERVICE_UNAVAILABLE', 'The database is away') }, /cannot answer now \(HTTP 503\): The database is away/, true],
  ['a proxy whose service is away', { status: 502, body: '<html>Bad Gateway</html>' }, /does not answer: HTTP 502/, true],
  ['another server', { status: 200, body: '<html>Welcome</html>' }, /does not answer like this service \(HTTP 200\): is --url right\?/, false],
  ['any other refusal', { status: 400, body: restError('BAD_USER_INPUT', '"files" is required') }, /refused \(HTTP 400, BAD_USER_INPUT\): "files" is required/, false],
  ['a redirect', { status: 307, body: '', headers: { location: 'http://127.0.0.1:1/' } }, /redirects to http:\/\/127.0.0.1:1\/: give the service's own address/, false]
]
for (const [what, answer, message, away] of refusals) {
  t.test(`${what} is told as such`, async (t) => {
    const service = await startImportService(t, () => answer)
    const error = await createImportApi({ url: service.url, key, signal }).checkAccess().then(() => null, (error: unknown) => error)
    t.match((error as Error).message, message)
    t.equal(error instanceof ApiAwayError, away, away ? 'worth another try' : 'not worth another try')
    t.notMatch((error as Error).message, key)
    t.equal(service.received.length, 1)
  })
}

t.test('a service that is not there is away', async (t) => {
  const server = createServer()
  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve) })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await new Promise((resolve) => { server.close(resolve) })
  await t.rejects(createImportApi({ url, key, signal }).checkAccess(), { name: 'ApiAwayError', message: `${url} does not answer: connection refused` })
})

t.test('a service that accepts and then says nothing is away', async (t) => {
  const service = await startImportService(t, () => 'silence')
  await t.rejects(createImportApi({ url: service.url, key, signal, timeoutMs: 100 }).find(jobId), { name: 'ApiAwayError', message: /nothing within 0.1 s/ })
})

t.test('a start that is not answered says that the import may have been started', async (t) => {
  const service = await startImportService(t, () => 'hang up')
  await t.rejects(createImportApi({ url: service.url, key, signal }).start(['a.jsonl'], 'UPDATE'), { name: 'CliError', message: /connection lost \(the files are uploaded; the import may or may not have been started\)/ })
  t.equal(service.received.length, 1, 'and it is not sent twice')
})

t.test('an interruption is told as such', async (t) => {
  const interruption = new AbortController()
  const service = await startImportService(t, () => { interruption.abort(); return 'silence' })
  await t.rejects(createImportApi({ url: service.url, key, signal: interruption.signal }).checkAccess(), { name: 'CliError', message: 'Interrupted' })
})

t.test('an error of GraphQL is the first one\'s message', async (t) => {
  const service = await startImportService(t, () => ({ body: { data: null, errors: [{ message: 'Cannot query field' }] } }))
  await t.rejects(createImportApi({ url: service.url, key, signal }).query('{ x }', {}), { message: /answers: Cannot query field/ })
})
