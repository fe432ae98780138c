/** Files that are uploaded over HTTP, to whatever file server the service has. */
import { readdir, stat } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import t from 'tap'
import { eventually } from '../support/eventually.js'
import { startServiceProcess } from '../support/service-process.js'
import { createVendor } from '../support/vendor.js'

const service = await startServiceProcess(t)
const vendor = await createVendor(service)
// A server that is not the built-in one makes no folders for vendors.
const incoming = await service.incoming(vendor.id)

const headers = { 'x-vendor-api-key': vendor.apiKey, 'tus-resumable': '1.0.0' }
const bytesType = 'application/offset+octet-stream'
const line = (id: number): string => JSON.stringify({ externalId: `p${id}`, name: `Lamp ${id}`, brandName: 'Acme', externalUrl: `https://example.com/${id}`, description: 'x'.repeat(500) })
const content = Buffer.from(Array.from({ length: 4_000 }, (_, id) => line(id)).join('\n'))

async function create (name: string): Promise<string> {
  const response = await fetch(`${service.url}/api/v1/files`, {
    method: 'POST', headers: { ...headers, 'upload-length': String(content.length), 'upload-metadata': `filename ${Buffer.from(name).toString('base64')}` }
  })
  t.equal(response.status, 201, await response.text())
  return `${service.url}${response.headers.get('location') ?? ''}`
}

async function offsetOf (address: string): Promise<number> {
  return Number((await fetch(address, { method: 'HEAD', headers })).headers.get('upload-offset'))
}

/** Sends a part of the file, and breaks off once some of it has come. */
async function breakOff (address: string, bytes: number): Promise<void> {
  const sending = request(address, { method: 'PATCH', headers: { ...headers, 'upload-offset': '0', 'content-type': bytesType, 'content-length': String(content.length) } })
  sending.on('error', () => { /* of its own making */ })
  sending.write(content.subarray(0, bytes))
  await eventually('something has come', async () => {
    const partial = (await readdir(incoming)).find((name) => name.startsWith('.upload-'))
    return partial !== undefined && (await stat(join(incoming, partial))).size > 0
  })
  sending.destroy()
}

t.test('an upload that broke off goes on where it was, and its file is imported', async (t) => {
  const address = await create('uploaded.jsonl')
  await breakOff(address, 700_000)
  const offset = await offsetOf(address)
  t.ok(offset > 0 && offset <= 700_000, String(offset))
  const response = await fetch(address, { method: 'PATCH', headers: { ...headers, 'upload-offset': String(offset), 'content-type': bytesType }, body: content.subarray(offset) })
  t.equal(response.status, 204, await response.text())
  t.equal(await offsetOf(address), content.length)
  const job = await vendor.runImport({ files: ['uploaded.jsonl'], mode: 'UPDATE', dryRun: true })
  t.equal(job.stats?.productsProcessed, 4_000)
  t.equal(job.stats?.errors, 0)
})

t.test('it takes the place of a file that has its name, whole', async (t) => {
  await vendor.put('same.jsonl', 'old')
  const address = await create('same.jsonl')
  const response = await fetch(address, { method: 'PATCH', headers: { ...headers, 'upload-offset': '0', 'content-type': bytesType }, body: content })
  t.equal(response.status, 204, await response.text())
  const { body } = await vendor.rest('GET', '/api/v1/files')
  const { files } = body as { files: Array<{ name: string, size: number }> }
  t.strictSame(files.filter(({ name }) => name === 'same.jsonl').map(({ size }) => size), [content.length])
})
