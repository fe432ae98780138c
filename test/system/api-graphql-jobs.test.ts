/** Import jobs over GraphQL. */
import t from 'tap'
import { testApi } from '../unit/api/test-api.js'

const start = 'mutation ($input: ProcessProductImportInput!) { processProductImport(input: $input) { jobId status mode files dryRun } }'
const byId = `query ($id: ID!) { productImportJob(jobId: $id) {
  jobId status attempt queuePosition workerHeartbeatAt stats { errors } progress { bytesRead bytesTotal percent } speed { ms linesRead }
  errorDetails { line externalId message file } warningDetails { message } createdAt startedAt completedAt } }`

const api = await testApi(t)
const input = { files: ['full.jsonl.gz'], mode: 'REPLACE' }

t.test('an accepted job is queued', async (t) => {
  const { status, data, errors } = await api.graphql(await api.keyOf('accept'), start, { input })
  t.equal(status, 200)
  t.equal(errors, undefined)
  t.match(data.processProductImport, { status: 'queued', mode: 'REPLACE', files: ['full.jsonl.gz'], dryRun: false, jobId: /^[0-9a-f-]{36}$/ })
})

t.test('the vendor may be named, if it is the one of the key', async (t) => {
  const { data } = await api.graphql(await api.keyOf('named'), start, { input: { ...input, vendorId: 'named' } })
  t.equal(data.processProductImport.status, 'queued')
})

t.test('another vendor is forbidden', async (t) => {
  const { status, data, errors } = await api.graphql(await api.keyOf('mine'), start, { input: { ...input, vendorId: 'theirs' } })
  t.equal(status, 200)
  t.equal(data, null)
  t.match(errors, [{ path: ['processProductImport'], extensions: { code: 'FORBIDDEN' } }])
})

t.test('a file name that is a path is refused by name', async (t) => {
  const { errors } = await api.graphql(await api.keyOf('path'), start, { input: { ...input, files: ['a.jsonl', '../b.jsonl'] } })
  t.match(errors, [{ extensions: { code: 'BAD_USER_INPUT', field: 'input.files[1]' } }])
})

t.test('of fifty concurrent jobs exactly twenty are accepted', async (t) => {
  const key = await api.keyOf('crowd')
  const answers = await Promise.all(Array.from({ length: 50 }, async () => await api.graphql(key, start, { input })))
  t.equal(answers.filter(({ data }) => data !== null).length, 20)
  const refusals = answers.flatMap(({ errors }) => errors ?? [])
  t.equal(refusals.length, 30)
  t.ok(refusals.every(({ extensions }) => extensions.code === 'LIMIT_EXCEEDED'))
})

t.test('one idempotency key makes one job, also concurrently', async (t) => {
  const key = await api.keyOf('again')
  const answers = await Promise.all(Array.from({ length: 10 }, async () =>
    await api.graphql(key, start, { input: { ...input, idempotencyKey: 'nightly' } })))
  t.equal(new Set(answers.map(({ data }) => data.processProductImport.jobId as string)).size, 1)
})

t.test('a waiting job tells its place', async (t) => {
  const key = await api.keyOf('waiting')
  await api.repositories.workers.beat('worker')
  await api.startJob('waiting')
  const second = await api.startJob('waiting')
  const { data } = await api.graphql(key, byId, { id: second })
  t.match(data.productImportJob, {
    status: 'queued',
    queuePosition: 2,
    attempt: 0,
    stats: null,
    progress: null,
    errorDetails: [],
    startedAt: null,
    workerHeartbeatAt: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
  })
})

t.test('jobs are listed by a file and by when they were asked for', async (t) => {
  const key = await api.keyOf('listed')
  const query = 'query ($file: String, $from: DateTime, $to: DateTime) { productImportJobs(file: $file, from: $from, to: $to) { totalCount nodes { files } } }'
  for (const file of ['a.jsonl', 'b.jsonl']) await api.graphql(key, start, { input: { files: [file], mode: 'UPDATE' } })
  const ask = async (variables: object): Promise<unknown> => (await api.graphql(key, query, variables)).data.productImportJobs
  t.strictSame(await ask({ file: 'a.jsonl' }), { totalCount: 1, nodes: [{ files: ['a.jsonl'] }] })
  t.match(await ask({ from: '2020-01-01', to: '2999-01-01' }), { totalCount: 2 })
  t.match(await ask({ to: '2020-01-01' }), { totalCount: 0, nodes: [] })
  t.match((await api.graphql(key, query, { from: 'yesterday' })).errors, [{ message: /DateTime/ }])
})

t.test('a running job tells how far it is', async (t) => {
  const key = await api.keyOf('running')
  const id = await api.startJob('running')
  const { lanes, importJobs } = api.repositories
  const claim = await lanes.claim('running', 'worker')
  if (claim === null) throw new Error('nothing to claim')
  await importJobs.begin('running', claim.job, 1)
  await importJobs.progress('running', id, { bytesRead: 50, bytesTotal: null, linesRead: 1 })
  const before = await api.graphql(key, byId, { id })
  t.match(before.data.productImportJob, { status: 'processing', queuePosition: null, progress: { percent: null }, speed: [] })
  await importJobs.progress('running', id, { bytesRead: 50, bytesTotal: 200, linesRead: 1 }, [{ ms: 1_000, linesRead: 1 }])
  const after = await api.graphql(key, byId, { id })
  t.match(after.data.productImportJob, { attempt: 1, progress: { bytesRead: 50, bytesTotal: 200, percent: 25 }, speed: [{ ms: 1_000, linesRead: 1 }] })
})

t.test('a job that is over has its stats and its errors in words', async (t) => {
  const key = await api.keyOf('over')
  const id = await api.startJob('over')
  const { importJobs, importIssues } = api.repositories
  await importIssues.add('over', id, [{
    severity: 'error',
    position: { file: 0, line: 7 },
    file: 'a.jsonl',
    line: 7,
    externalId: 'p7',
    faults: [{ code: 'required', path: 'name' }, { code: 'invalid-url', path: 'externalUrl' }]
  }])
  await importJobs.progress('over', id, { bytesRead: 10, bytesTotal: null, linesRead: 3 })
  await api.endJob('over', id)
  const { data } = await api.graphql(key, byId, { id })
  t.match(data.productImportJob, { status: 'completed', stats: { errors: 0 }, progress: { percent: 100 }, completedAt: String })
  t.strictSame(data.productImportJob.errorDetails, [{
    line: 7, externalId: 'p7', file: 'a.jsonl', message: 'Missing required field: name; Invalid URL format for externalUrl'
  }])
})

t.test('errorDetails are bounded, and a refused bound spoils only its field', async (t) => {
  const key = await api.keyOf('details')
  const id = await api.startJob('details')
  const { importIssues } = api.repositories
  await importIssues.add('details', id, [1, 2, 3].map((line) => (
    { severity: 'error', position: { file: 0, line }, file: 'a', line, externalId: null, faults: [{ code: 'malformed-json', path: '' }] })))
  await api.endJob('details', id)
  const ask = async (first: number) => await api.graphql(key,
    `query ($first: Int) { job: productImportJob(jobId: "${id}") { status warningDetails { line } } other: productImportJob(jobId: "${id}") { errorDetails(first: $first) { line } } }`, { first })
  t.strictSame((await ask(2)).data.other.errorDetails, [{ line: 1 }, { line: 2 }])
  t.strictSame((await ask(0)).data.other.errorDetails, [])
  for (const first of [-1, 10_001]) {
    const { status, data, errors } = await ask(first)
    t.equal(status, 200)
    t.match(errors, [{ path: ['other', 'errorDetails'], extensions: { code: 'BAD_USER_INPUT', field: 'first' } }])
    t.strictSame(data, { job: { status: 'completed', warningDetails: [] }, other: null })
  }
})

t.test('a job tells who asked for it', async (t) => {
  const key = await api.keyOf('starter')
  const query = '{ productImportJobs { nodes { startedBy { actor userId keyId keyName } } } viewer { id } }'
  await api.graphql(key, start, { input })
  await api.startJob('starter')
  const { data } = await api.graphql(key, query)
  const [record] = await api.repositories.integrationApiKeys.list('starter')
  const nodes = data.productImportJobs.nodes as Array<{ startedBy: object | null }>
  t.strictSame(nodes.map(({ startedBy }) => startedBy), [
    null, { actor: 'INTEGRATION_KEY', userId: null, keyId: data.viewer.id, keyName: record?.name }
  ], 'one that nobody is known of was started without the API')
})

t.test('a job tells how many issues it has of each code, and how many products it left as they were', async (t) => {
  const key = await api.keyOf('counts')
  const id = await api.startJob('counts')
  const query = `{ productImportJob(jobId: "${id}") { productsUnchanged issueCounts { severity code count } } }`
  t.strictSame((await api.graphql(key, query)).data.productImportJob, { productsUnchanged: null, issueCounts: [] })
  await api.repositories.importIssues.add('counts', id, [1, 2, 3].map((line) => (
    { severity: 'error', position: { file: 0, line }, file: 'a', line, externalId: null, faults: [{ code: 'malformed-json', path: '' }] })))
  await api.endJob('counts', id)
  const counted = { productsUnchanged: null, issueCounts: [{ severity: 'ERROR', code: 'malformed-json', count: 3 }] }
  t.strictSame((await api.graphql(key, query)).data.productImportJob, counted)
  t.strictSame((await api.graphql(key, query)).data.productImportJob, counted, 'again')
  t.strictSame((await api.graphql(await api.keyOf('curious'), query)).data.productImportJob, null)
  const others = await Promise.all(Array.from({ length: 11 }, async () => await api.startJob('counts')))
  const many = `{ ${others.map((other, index) => `a${index}: productImportJob(jobId: "${other}") { issueCounts { code } }`).join(' ')} }`
  t.match((await api.graphql(key, many)).errors, [{ extensions: { code: 'BAD_USER_INPUT' } }], 'each looks through all that a job has kept')
})

t.test('unknown jobs and those of other vendors are null', async (t) => {
  const key = await api.keyOf('nosy')
  await api.keyOf('private')
  const id = await api.startJob('private')
  for (const jobId of [id, '00000000-0000-0000-0000-000000000000', '$ne', '']) {
    const { data, errors } = await api.graphql(key, byId, { id: jobId })
    t.strictSame([data, errors], [{ productImportJob: null }, undefined])
  }
})

t.test('a queued job can be cancelled, and a job that is over or unknown cannot', async (t) => {
  const key = await api.keyOf('cancel')
  const id = await api.startJob('cancel')
  const cancel = 'mutation ($id: ID!) { cancelProductImport(jobId: $id) { status errorDetails { line message } } }'
  const { data } = await api.graphql(key, cancel, { id })
  t.strictSame(data.cancelProductImport, { status: 'failed', errorDetails: [{ line: null, message: 'The import was cancelled' }] })
  const over = await api.startJob('cancel')
  await api.endJob('cancel', over)
  t.match((await api.graphql(key, cancel, { id: over })).errors, [{ extensions: { code: 'CONFLICT' } }])
  t.match((await api.graphql(await api.keyOf('foreign'), cancel, { id })).errors, [{ extensions: { code: 'NOT_FOUND' } }])
})
