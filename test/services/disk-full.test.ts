/** A full disk under the embedded parts: the service says so and carries on when there is room again; nothing is lost. */
import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { eventually } from '../support/eventually.js'
import { file, line } from '../support/product-lines.js'
import { startServiceProcess } from '../support/service-process.js'
import { createVendor } from '../support/vendor.js'
import { mongodbProgram } from './parts/mongodb-program.js'
import { mountSmallDisk, type SmallDisk } from './small-disk.js'

const mebibyte = 2 ** 20
const count = 6_000
/** Does not compress. */
const noise = (index: number): string => Array.from({ length: 40 }, (_, part) => createHash('sha512').update(`${index}/${part}`).digest('base64')).join('')
const nameOf = (index: number): string => `Product ${index}`
const catalog = file(...Array.from({ length: count }, (_, index) => line(`P${index}`, { name: nameOf(index), description: noise(index) })))

/** Found by name as `npm start` finds it. */
async function pathWith (kind: string): Promise<string> {
  const { command, kind: found } = await mongodbProgram()
  const path = process.env['PATH'] ?? ''
  return found === kind ? `${dirname(command)}:${path}` : path
}

for (const kind of ['secantusd-rs', 'secantusdb']) {
  t.test(`${kind} runs out of disk in the middle of a job: not ready until there is room, then the job ends with everything in it`, async (t) => {
    let disk: SmallDisk | undefined
    const service = await startServiceProcess(t, {
      mongodbUrl: null,
      env: { KAFKA_BROKERS: '', EMBEDDED_MONGO: kind, PATH: await pathWith(kind) },
      mount: async (dataDir) => {
        disk = await mountSmallDisk(dataDir, 900 * mebibyte)
        return disk.unmount
      }
    })
    const vendor = await createVendor(service)
    await vendor.put('products.jsonl', catalog)
    await disk?.fill(12 * mebibyte)
    const jobId = await vendor.startImport({ files: ['products.jsonl'], mode: 'REPLACE' })
    const readiness = async (): Promise<number> => (await fetch(`${service.url}/readyz`)).status
    await eventually('the service is not ready', async () => await readiness() === 503, 180_000)
    t.equal((await vendor.rest('GET', `/api/v1/products/import/${jobId}`)).status, 503)
    await eventually('the database has been ended', () => service.logs.some(({ msg }) => msg === 'embedded MongoDB ended by itself; restarting it'))

    await disk?.makeRoom()
    await eventually('the service is ready again', async () => await readiness() === 200, 180_000)
    const { status, stats } = await vendor.ended(jobId)
    t.equal(status, 'completed')
    t.strictSame(stats, { productsProcessed: count, productsCreated: count, productsUpdated: 0, productsArchived: 0, productsSkipped: 0, errors: 0 })
    t.equal((await service.repositories().importJobs.find(vendor.id, jobId))?.attempt, 1, 'the same worker has waited')
    const stored = await service.database().collections.products.find({ vendorId: vendor.id }).project<{ name: string, description: string }>({ name: 1, description: 1 }).toArray()
    const digest = (products: Array<[string, string]>): string[] => products.map(([name, description]) => createHash('sha256').update(`${name}\0${description}`).digest('hex')).sort()
    t.strictSame(digest(stored.map(({ name, description }) => [name, description])), digest(Array.from({ length: count }, (_, index) => [nameOf(index), noise(index)])))
  })
}

t.test('an upload for which there is no room is refused, nothing of it appears, and a smaller one goes through', async (t: Test) => {
  const service = await startServiceProcess(t, {
    env: { KAFKA_BROKERS: '', SFTP_URL: '' },
    mount: async (dataDir) => (await mountSmallDisk(join(dataDir, 'sftp'), 8 * mebibyte)).unmount
  })
  const vendor = await createVendor(service)
  await t.rejects(vendor.upload('large.jsonl', Buffer.alloc(12 * mebibyte, 'x')), { message: 'No space left on device' })
  await vendor.upload('small.jsonl', file(line('P')))
  const folder = join(service.dataDir, 'sftp', 'vendors', vendor.id)
  t.strictSame(await readdir(join(folder, 'incoming')), ['small.jsonl'])
  t.equal((await vendor.runImport({ files: ['small.jsonl'], mode: 'UPDATE' })).status, 'completed')
  await vendor.upload('larger.jsonl', Buffer.alloc(7 * mebibyte, 'x'))
  t.strictSame((await readdir(join(folder, 'incoming'))).sort(), ['larger.jsonl', 'small.jsonl'], 'what was begun takes no room')
})
