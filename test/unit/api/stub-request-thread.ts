/** In the place of bin/request-thread: does what the body says. */
import type { LargeAnswer, LargeRequest } from '../../../src/api/graphql/limits/large-requests.js'
import type { FromRequest, ToRequest } from '../../../src/api/large-request-threads.js'
import { serveTasks } from '../../../src/threads/serve-tasks.js'

serveTasks<LargeRequest, LargeAnswer, FromRequest, ToRequest>({
  async run ({ body }, { tell, onTold }) {
    const text = Buffer.concat(body).toString().trim()
    if (text === 'die') process.exit(1)
    if (text === 'break') throw new Error('broke')
    if (text === 'wake') tell({ topic: 'imports', vendorId: 'shop', jobId: 'j1' })
    if (text === 'convert') tell({ topic: 'conversions', vendorId: 'shop', jobId: 'c1' })
    if (text === 'read and die') {
      onTold(() => { setTimeout(() => { process.exit(1) }, 200) })
      tell({ read: 'wanted', id: 1, owner: 'shop', shape: 'things find {}' })
      await new Promise(() => {})
    }
    if (text === 'never') await new Promise(() => {})
    if (text === 'large') return { status: 200, body: new Uint8Array(12 * 1_024 * 1_024), changedKeys: [], changedUsers: [], refusals: [] }
    return { status: 200, body: Buffer.from(`${text}!`), changedKeys: [], changedUsers: [], refusals: [] }
  },
  close: async () => {}
})
