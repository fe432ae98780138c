import t from 'tap'
import { createRunningUploads } from '../../../../src/api/rest/running-uploads.js'

const untilAborted = async (signal: AbortSignal): Promise<void> => {
  await new Promise<void>((_resolve, reject) => { signal.addEventListener('abort', () => { reject(signal.reason as Error) }) })
}

t.test('who goes on with an upload ends the one that runs, and comes after its end', async (t) => {
  const running = createRunningUploads()
  const first = t.rejects(running.run('acme', 'a', untilAborted), { code: 'CONFLICT' })
  await running.end('acme', 'a')
  await first
  await t.resolves(running.run('acme', 'a', async () => {}))
})

t.test('of one file a single upload runs', async (t) => {
  const running = createRunningUploads()
  const first = t.rejects(running.run('acme', 'a', untilAborted), { code: 'CONFLICT' })
  await t.rejects(running.run('acme', 'a', async () => {}), { code: 'CONFLICT' })
  await running.end('acme', 'a')
  await first
})

t.test('one vendor\'s many uploads are bounded, and none of another\'s', async (t) => {
  const running = createRunningUploads()
  const ids = Array.from({ length: 8 }, (_, index) => String(index))
  const all = ids.map((id) => t.rejects(running.run('acme', id, untilAborted), { code: 'CONFLICT' }))
  await t.rejects(running.run('acme', 'one too many', async () => {}), { code: 'LIMIT_EXCEEDED' })
  await t.resolves(running.run('other', 'a', async () => {}))
  await Promise.all(ids.map(async (id) => { await running.end('acme', id) }))
  await Promise.all(all)
})
