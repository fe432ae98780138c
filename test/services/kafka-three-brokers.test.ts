/** Three brokers with three replicas of which two have to have a message: one dies amidst the jobs of many vendors, and comes back. */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { topicsWith } from '../../src/jobs/topics.js'
import { createAdministration } from '../../src/kafka/administration.js'
import { eventually } from '../support/eventually.js'
import { file, line } from '../support/product-lines.js'
import { startServiceProcess } from '../support/service-process.js'
import { createVendor } from '../support/vendor.js'
import { createSecuredKafka, securedUser } from './parts/secured-kafka.js'
import { temporaryFolder } from './parts/temporary-folder.js'

const vendorCount = 20
const linesPerFile = 100

t.test('a broker is killed amidst the jobs of 20 vendors: none is lost, none counted twice', { timeout: 400_000 }, async (t) => {
  const folder = await temporaryFolder(join(tmpdir(), 'catalog-brokers-'))
  const kafka = await createSecuredKafka(join(folder.path, 'kafka'), { nodes: 3 })
  t.teardown(async () => {
    await kafka.stop()
    await folder.remove()
  })
  await kafka.start()
  const topics = Object.values(topicsWith(''))
  const lines = createAdministration({ brokers: kafka.brokers, principal: `User:${securedUser}` })
  for (const topic of topics) await kafka.administer(lines.createTopic(topic))
  await kafka.administer(lines.allowWriting(topics))
  await kafka.administer(lines.allowReading(topics))

  const service = await startServiceProcess(t, { env: kafka.env })
  const status = async (): Promise<number> => (await fetch(`${service.url}/readyz`)).status
  await eventually('the service is ready', async () => await status() === 200, 60_000)
  const vendors = await Promise.all(Array.from({ length: vendorCount }, async (_, index) => await createVendor(service, `vendor-${index}`)))
  const numbers = [0, 1, 2]
  for (const vendor of vendors) {
    // Each file brings its own products, and all the one that they share.
    for (const number of numbers) await vendor.put(`${number}.jsonl`, file(line('shared', { name: `of ${number}` }), ...Array.from({ length: linesPerFile }, (_, index) => line(`${number}-${index}`))))
  }
  const started: Array<{ vendor: (typeof vendors)[number], jobIds: string[] }> = []
  for (const vendor of vendors) {
    const jobIds: string[] = []
    for (const number of numbers) jobIds.push(await vendor.startImport({ files: [`${number}.jsonl`], mode: 'UPDATE' }))
    started.push({ vendor, jobIds })
  }
  await eventually('the first jobs have ended', () => service.logs.some(({ msg }) => msg === 'import ended'))
  await kafka.nodes[0]?.kill()

  for (const { vendor, jobIds } of started) {
    const ended = await Promise.all(jobIds.map(vendor.ended))
    t.strictSame(ended.map(({ status }) => status), jobIds.map(() => 'completed'), vendor.id)
    t.strictSame(ended.map(({ stats }) => [stats?.productsCreated, stats?.productsUpdated]), numbers.map((number) => number === 0 ? [linesPerFile + 1, 0] : [linesPerFile, 1]))
    t.match(await service.database().collections.products.findOne({ vendorId: vendor.id, externalId: 'shared' }), { name: 'of 2' })
  }
  t.equal(service.logs.filter(({ msg }) => msg === 'import ended').length, vendorCount * numbers.length, 'each has ended once')

  await eventually('two brokers are enough', async () => await status() === 200, 60_000)
  const [vendor] = vendors
  t.match(await vendor?.runImport({ files: ['0.jsonl'], mode: 'UPDATE' }), { status: 'completed' })
  t.strictSame(service.logs.filter(({ level }) => Number(level) >= 50), [], 'and nothing is told that somebody would have to mend')
})
