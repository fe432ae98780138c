/** `catalog push` as a process, against servers that answer as the service does. */
import { join } from 'node:path'
import t from 'tap'
import { importThatEnds, jobId, startImportService, stats, type Answer, type Received, type TestImportService } from '../unit/cli/support/import-service.js'
import { jsonOf, runCatalog, type Run, type RunOptions } from '../unit/cli/support/run-catalog.js'
import { startSftpServer, type TestSftpServer } from '../unit/cli/support/sftp-server.js'
import { testFolder } from '../support/test-folder.js'

const completed = (errors: number) => ({
  status: 'completed',
  stats: stats(errors),
  errorDetails: Array.from({ length: errors }, (_, index) => ({ line: index + 1, externalId: null, message: 'Malformed JSON' }))
})

interface Setting { service: TestImportService, sftp: TestSftpServer, push: (extra?: string[], options?: RunOptions) => Promise<Run> }

async function set (t: Parameters<typeof startSftpServer>[0], answer: (request: Received, number: number) => Answer | 'hang up' | 'silence'): Promise<Setting> {
  const [service, sftp] = [await startImportService(t, answer), await startSftpServer(t)]
  const folder = testFolder(t, { id: sftp.key.private, 'products-full.jsonl': '{}\n{}\n' })
  const push = async (extra: string[] = [], options: RunOptions = {}): Promise<Run> => await runCatalog([
    'push', join(folder, 'products-full.jsonl'), '--mode', 'REPLACE', '--url', service.url, '--key', 'svc_x',
    '--sftp', `${sftp.user}@127.0.0.1:${sftp.port}`, '--identity', join(folder, 'id'), ...extra
  ], options)
  return { service, sftp, push }
}

t.test('a clean import exits with 0, its result alone on stdout', async (t) => {
  const { service, sftp, push } = await set(t, importThatEnds(completed(0)))
  const run = await push(['--json', '--host-key-fingerprint', sftp.hostKeyFingerprint])
  t.equal(run.exitCode, 0)
  t.same(jsonOf(run), { jobId, status: 'completed', mode: 'REPLACE', stats: stats(0), errorDetails: [], completedAt: '2026-01-01T00:00:00.000Z' })
  t.equal(String(sftp.files.get('incoming/products-full.jsonl')), '{}\n{}\n')
  t.match(run.stderr, `host key ${sftp.hostKeyFingerprint}, as pinned`)
  const start = service.received.find(({ method, path }) => method === 'POST' && path !== '/graphql')
  t.same(start?.body, { files: ['products-full.jsonl'], mode: 'REPLACE' })
})

t.test('line errors exit with 3 and are told', async (t) => {
  const { push } = await set(t, importThatEnds(completed(2)))
  const { exitCode, stdout } = await push()
  t.equal(exitCode, 3)
  t.match(stdout, /2 line errors:\n {2}line 1: Malformed JSON\n/)
})

t.test('a failed import exits with 1 and its reason', async (t) => {
  const { push } = await set(t, importThatEnds({ status: 'failed', stats: stats(), errorDetails: [{ line: null, externalId: null, message: 'The import was cancelled' }] }))
  const { exitCode, stdout } = await push()
  t.equal(exitCode, 1)
  t.match(stdout, /Reason: The import was cancelled/)
})

t.test('a refused API key is told before anything is uploaded', async (t) => {
  const { sftp, push } = await set(t, () => ({ status: 401, body: { success: false, error: { code: 'UNAUTHENTICATED', message: 'Unknown API key' } } }))
  t.same(await push(['--json']), { exitCode: 1, stdout: '', stderr: 'error: The API key was refused: Unknown API key\n' })
  t.equal(sftp.files.size, 0)
})

t.test('a refused SFTP key starts no import', async (t) => {
  const { service, push } = await set(t, importThatEnds(completed(0)))
  const other = await startSftpServer(t)
  const { exitCode, stderr } = await push(['--sftp', `acme@127.0.0.1:${other.port}`])
  t.equal(exitCode, 1)
  t.match(stderr, /refused the key/)
  t.notOk(service.received.some(({ method }) => method === 'POST'))
})

t.test('a full queue is told with what the service says', async (t) => {
  const { push } = await set(t, ({ method }) => method === 'POST'
    ? { status: 429, body: { success: false, error: { code: 'LIMIT_EXCEEDED', message: 'At most 20 import jobs' } } }
    : { status: 404, body: { success: false, error: { code: 'NOT_FOUND', message: 'No such import job' } } })
  t.match(await push(), { exitCode: 1, stdout: '', stderr: /At most 20 import jobs\n$/ })
})

t.test('a service that restarts meanwhile is waited for', async (t) => {
  const answer = importThatEnds(completed(0))
  let looks = 0
  const { push } = await set(t, (request) => {
    if (request.method === 'GET' && request.path.endsWith(jobId)) looks += 1
    return looks === 2 || looks === 3 ? 'hang up' : answer(request)
  })
  t.equal((await push()).exitCode, 0)
})

t.test('Ctrl-C says that the import goes on', async (t) => {
  const { push } = await set(t, (request) => {
    if (request.method === 'POST') return { status: 202, body: { jobId } }
    return request.path.endsWith(jobId) ? { body: { jobId, status: 'queued', mode: 'REPLACE' } } : { status: 404, body: {} }
  })
  const run = await push(['--json'], { interruptAt: 'Started import' })
  t.match(run, { exitCode: 1, stdout: '', stderr: /error: Interrupted: import .* goes on without being watched\n$/ })
})
