import t from 'tap'
import { CliError } from '../../../src/cli/cli-error.js'
import { followImport, type FollowOptions } from '../../../src/cli/follow-import.js'
import { ApiAwayError, type ImportApi, type RemoteImport, type RemoteProgress } from '../../../src/cli/import-api.js'

const jobId = 'the-job'
const at = (status: RemoteImport['status']): RemoteImport => ({ jobId, status, mode: 'UPDATE', stats: null, errorDetails: [], completedAt: null })

/** An API whose looks at the job go as listed; the last one repeats. */
function apiOf (looks: Array<RemoteImport | Error>, progress: () => Promise<RemoteProgress | null> = async () => null): ImportApi {
  const unused = async (): Promise<never> => { throw new Error('not expected here') }
  let next = 0
  return {
    checkAccess: unused,
    start: unused,
    query: unused,
    progress,
    async find () {
      const look = looks[Math.min(next, looks.length - 1)]
      next += 1
      if (look === undefined || look instanceof Error) throw look ?? new Error('no look listed')
      return look
    }
  }
}

function optionsOf (more: Partial<FollowOptions> = {}): FollowOptions & { seen: Array<[string, RemoteProgress | null]> } {
  const seen: Array<[string, RemoteProgress | null]> = []
  return { signal: new AbortController().signal, firstPauseMs: 1, lastPauseMs: 1, seen, onUpdate: ({ status }, progress) => { seen.push([status, progress]) }, ...more }
}

t.test('a job is followed to its end, with its progress on the way', async (t) => {
  const options = optionsOf()
  const job = await followImport(apiOf([at('queued'), at('processing'), at('completed')], async () => ({ percent: 40, linesRead: 4 })), jobId, options)
  t.equal(job.status, 'completed')
  t.same(options.seen, [['queued', null], ['processing', { percent: 40, linesRead: 4 }]])
})

t.test('a failed job is an end too', async (t) => {
  t.equal((await followImport(apiOf([at('failed')]), jobId, optionsOf())).status, 'failed')
})

t.test('a service that is away for a while is waited for', async (t) => {
  let away = 0
  const options = optionsOf({ onAway: () => { away += 1 } })
  const job = await followImport(apiOf([at('queued'), new ApiAwayError('gone'), new ApiAwayError('gone'), at('completed')]), jobId, options)
  t.equal(job.status, 'completed')
  t.equal(away, 2)
})

t.test('a service that stays away is given up, and the job is named', async (t) => {
  await t.rejects(followImport(apiOf([at('queued'), new ApiAwayError('gone')]), jobId, optionsOf({ patienceMs: 20 })), {
    name: 'CliError', message: /gone; given up after 0 s, import the-job may still be running/
  })
})

t.test('patience starts anew with every answer', async (t) => {
  const away = new ApiAwayError('gone')
  const looks = [away, away, at('queued'), away, away, at('queued'), away, away, at('completed')]
  // Two pauses of 30 ms fit into the patience at a time, six would not.
  const job = await followImport(apiOf(looks), jobId, optionsOf({ firstPauseMs: 30, lastPauseMs: 30, patienceMs: 150 }))
  t.equal(job.status, 'completed')
})

t.test('a refusal ends it at once', async (t) => {
  await t.rejects(followImport(apiOf([new CliError('The API key was refused')]), jobId, optionsOf()), { message: 'The API key was refused' })
})

t.test('a service that does not tell progress is followed without it', async (t) => {
  const options = optionsOf()
  await followImport(apiOf([at('processing'), at('completed')], async () => { throw new CliError('no GraphQL here') }), jobId, options)
  t.same(options.seen, [['processing', null]])
})

t.test('an interruption says that the job goes on', async (t) => {
  const interruption = new AbortController()
  const options = optionsOf({ signal: interruption.signal, firstPauseMs: 60_000, onUpdate: () => { setImmediate(() => { interruption.abort() }) } })
  await t.rejects(followImport(apiOf([at('queued')]), jobId, options), { name: 'CliError', message: 'Interrupted: import the-job goes on without being watched' })
})
