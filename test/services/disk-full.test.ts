/** A full disk under the embedded parts: the service says so and carries on when there is room again; nothing is lost. */
import { createHash } from 'node:crypto'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { MongoClient } from 'mongodb'
import t, { type Test } from 'tap'
import { needsRoomBytes } from '../../src/embedded/disk-room.js'
import { startEmbeddedMongodb } from '../../src/embedded/embedded-mongodb.js'
import { findMongodb } from '../../src/embedded/find-mongodb.js'
import type { GuardedChild } from '../../src/embedded/guarded-child.js'
import { addressOf, startMongodbProcess } from '../../src/embedded/mongodb-process.js'
import { eventually } from '../support/eventually.js'
import { silent } from '../support/log.js'
import { file, line } from '../support/product-lines.js'
import { startServiceProcess } from '../support/service-process.js'
import { testFolder } from '../support/test-folder.js'
import { createVendor } from '../support/vendor.js'
import { freePort } from './parts/free-port.js'
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

/** Checks that what the database has acknowledged is there once it has room. */
async function writeUntilRefused (t: Test, url: string, makeRoom: (writeAgain: () => Promise<unknown>) => Promise<void>): Promise<void> {
  const client = new MongoClient(url, { retryWrites: false, serverSelectionTimeoutMS: 2_000, writeConcern: { w: 'majority', j: true } })
  const products = client.db().collection<{ _id: string, name: string, description: string }>('products')
  const jobs = client.db().collection<{ _id: string, beats: number }>('jobs')
  const idsOf = (bulk: number): string[] => Array.from({ length: 500 }, (_, index) => `${bulk}/${index}`)
  try {
    await products.createIndex({ name: 1 })
    await jobs.insertOne({ _id: 'job', beats: 0 })
    const acknowledged: number[] = []
    let [bulks, beats] = [0, 0]
    const untilRefused = async (write: () => Promise<void>): Promise<void> => { for (let isDone = true; isDone;) isDone = await write().then(() => true, () => false) }
    const writeBulks = async (): Promise<void> => {
      const bulk = bulks++
      await products.insertMany(idsOf(bulk).map((_id, index) => ({ _id, name: nameOf(index), description: noise(bulk * 500 + index) })))
      acknowledged.push(bulk)
    }
    const beat = async (): Promise<void> => {
      await jobs.updateOne({ _id: 'job' }, { $inc: { beats: 1 } })
      beats += 1
    }
    await Promise.all([writeBulks, writeBulks, writeBulks, beat].map(untilRefused))
    await makeRoom(async () => await jobs.updateOne({ _id: 'other' }, { $inc: { beats: 1 } }, { upsert: true }).catch(() => {}))
    await eventually('the database answers again', async () => await jobs.findOne({ _id: 'job' }).then(() => true, () => false), 120_000)
    t.ok(acknowledged.length > 0)
    for (const bulk of acknowledged) t.equal(await products.countDocuments({ _id: { $in: idsOf(bulk) } }), 500, `bulk ${bulk}`)
    // The last one was refused, or done and not acknowledged.
    t.ok([beats, beats + 1].includes((await jobs.findOne({ _id: 'job' }))?.beats ?? NaN))
  } finally {
    await client.close()
  }
}

t.test('SecantusDB acknowledges nothing that found no room', async (t) => {
  const folder = testFolder(t, { disk: {} })
  const disk = await mountSmallDisk(join(folder, 'disk'), 200 * mebibyte)
  const [dataPath, emptyConfigPath, logPath] = [join(folder, 'disk', 'data'), join(folder, 'empty.toml'), join(folder, 'mongodb.log')]
  await mkdir(dataPath)
  await writeFile(emptyConfigPath, '')
  const program = await findMongodb({ wanted: 'secantusdb', writtenBy: undefined, env: process.env })
  const port = await freePort()
  // By itself: what is embedded is ended before its disk is full.
  const start = async (): Promise<GuardedChild> =>
    await startMongodbProcess({ program, port, dataPath, emptyConfigPath, logPath, env: process.env, log: silent }, async () => {})
  let child = await start()
  try {
    await disk.fill(8 * mebibyte)
    await writeUntilRefused(t, addressOf(port), async (writeAgain) => {
      // Of what is refused for another reason than its commit, the server hears when it begins the next one.
      await eventually('the server has ended', async () => await writeAgain().then(() => child.hasExited()))
      t.equal(await child.exited, 'exit code 70')
      await disk.makeRoom()
      child = await start()
    })
  } finally {
    await child.stop()
    await disk.unmount()
  }
})

t.test('no database is begun on a disk that is nearly full: it says how much room it needs', async (t) => {
  const dataDir = testFolder(t)
  const disk = await mountSmallDisk(dataDir, 20 * mebibyte)
  try {
    await t.rejects(startEmbeddedMongodb({ dataDir, wanted: 'secantusdb', log: silent }), {
      code: 'SERVICE_UNAVAILABLE', message: /^The disk of DATA_DIR has room for \d+ MiB more, and the embedded database needs 256: make room there, choose another DATA_DIR, or name a MongoDB server of your own$/
    })
  } finally {
    await disk.unmount()
  }
})

for (const kind of ['secantusd-rs', 'secantusdb'] as const) {
  t.test(`all that ${kind} acknowledged before its disk was nearly full is there once there is room`, async (t) => {
    const dataDir = testFolder(t)
    const disk = await mountSmallDisk(dataDir, 900 * mebibyte)
    const mongodb = await startEmbeddedMongodb({ dataDir, wanted: kind, log: silent, env: { ...process.env, PATH: await pathWith(kind) } })
    try {
      await disk.fill(350 * mebibyte)
      await writeUntilRefused(t, mongodb.url, disk.makeRoom)
    } finally {
      await mongodb.close()
      await disk.unmount()
    }
  })

  t.test(`${kind} has no room on its disk in the middle of a job: not ready until there is room, then the job ends with everything in it`, async (t) => {
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
    await disk?.fill(needsRoomBytes + 12 * mebibyte)
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
