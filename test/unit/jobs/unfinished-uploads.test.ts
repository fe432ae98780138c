import t from 'tap'
import { partialUploadName } from '../../../src/domain/partial-upload.js'
import { sweepFiles } from '../../../src/jobs/retention.js'
import type { Repositories } from '../../../src/store/repositories.js'
import { silent } from '../../support/log.js'

t.test('an upload that nobody has gone on with for a day is removed; a file of that age stays', async (t) => {
  const hourMs = 60 * 60 * 1_000
  const file = (name: string, uploadedAtMs: number) => ({ name, size: 1, modifiedAtMs: uploadedAtMs, uploadedAtMs })
  const [old, recent] = [partialUploadName('3f1f3c7e-5a54-4d0c-9a31-0d6f3f0f7c11'), partialUploadName('4f1f3c7e-5a54-4d0c-9a31-0d6f3f0f7c11')]
  const listed = [file(old, 0), file(recent, 2 * hourMs), file('a.jsonl', 0)]
  const removed: string[] = []
  await sweepFiles({
    repositories: {
      vendors: { ids: async function * () { yield 'acme' } },
      fileSightings: { update: async () => new Map() },
      importJobs: { filesInUse: async () => new Set() },
      lanes: { find: async () => ({ queue: [], running: null }) }
    } as unknown as Repositories,
    files: {
      list: async () => listed,
      stat: async (_vendorId, name) => listed.find((each) => each.name === name) ?? { size: 0, modifiedAtMs: 0 },
      remove: async (_vendorId, name) => { removed.push(name) }
    },
    log: silent,
    now: () => 25 * hourMs
  })
  t.strictSame(removed, [old])
})
