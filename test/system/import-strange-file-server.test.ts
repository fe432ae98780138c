/** A file server that shows another key than it should gets no job's trust, and everyone who asks is told. */
import t from 'tap'
import { fingerprintOf } from '../../src/domain/ssh-public-key.js'
import { eventually } from '../support/eventually.js'
import { startHaltingFiles } from '../support/halting-files.js'
import { file, line } from '../support/product-lines.js'
import { startServiceProcess } from '../support/service-process.js'
import { createVendor } from '../support/vendor.js'

const files = await startHaltingFiles(t)
const shown = files.env['SFTP_HOST_KEY_FINGERPRINT'] ?? ''
const expected = fingerprintOf(Buffer.from('the key that the operator means'))
const service = await startServiceProcess(t, { files: { ...files, env: { ...files.env, SFTP_HOST_KEY_FINGERPRINT: expected } } })

t.test('an import fails, with server and key in its reason, and reads nothing', async (t) => {
  const vendor = await createVendor(service)
  await vendor.put('a.jsonl', file(line('A')))
  const job = await vendor.runImport({ files: ['a.jsonl'], mode: 'REPLACE' })
  t.match(job, { status: 'failed', stats: { productsProcessed: 0, productsArchived: 0 } })
  t.match(job.errorDetails, [{ line: null, message: `The host key of the SFTP server ${service.sftp}, ssh-ed25519 ${shown}, is not trusted` }])
})

t.test('the service is not ready, and its log says why', async (t) => {
  const response = await fetch(`${service.url}/readyz`)
  t.equal(response.status, 503)
  t.match(await response.json(), { checks: { files: 'unavailable' } })
  t.ok(await eventually('the log says so', async () =>
    service.logs.some(({ msg, check, err }) => msg === 'not ready' && check === 'files' && JSON.stringify(err).includes(shown))))
})
