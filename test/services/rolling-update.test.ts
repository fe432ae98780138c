/**
 * An upgrade as a cluster does it: two APIs and two workers are replaced one after the other, each when its successor is ready, while vendors import and
 * poll through a balancer. Nobody tries a request again, but for what a process refuses because the machine has more to do than it can: that is no process's going or coming.
 */
import { setTimeout as delay } from 'node:timers/promises'
import Kafka from 'node-rdkafka'
import t from 'tap'
import { Agent, fetch } from 'undici'
import { testDatabase } from '../support/database.js'
import { eventually } from '../support/eventually.js'
import { kafkaOfServices } from '../support/kafka.js'
import { givenTopics } from '../support/own-names.js'
import { file, line } from '../support/product-lines.js'
import { givenFiles, startServiceProcess, type ServiceProcess } from '../support/service-process.js'
import { createVendor, type TestVendor } from '../support/vendor.js'
import { startBalancer, type Backend } from './balancer.js'

const vendorCount = Number(process.env['ROLLING_VENDORS'] ?? 20)
const linesPerJob = 1_500
const pollMs = 200

const topicOfImports = givenTopics().productImports

/** More partitions than there are vendors, as where others were before: each worker has some vendors all the same. */
async function growTopic (topic: string, partitions: number): Promise<void> {
  const kafka = await kafkaOfServices()
  const admin = Kafka.AdminClient.create(kafka.settings())
  await new Promise<void>((resolve) => {
    // One that has as many is as good.
    admin.createPartitions(topic, partitions, 10_000, () => { resolve() })
  })
  admin.disconnect()
  kafka.close()
}

interface Replaceable extends Backend { service: ServiceProcess }
interface Job { id: string, vendor: TestVendor }

t.test('while each process is replaced, no request fails, no job is lost, and none is counted as crashed', { timeout: 600_000 }, async (t) => {
  const { url: mongodbUrl } = await testDatabase(t)
  const shared = await givenFiles(t)
  if (shared === undefined) throw new Error('These tests are run by npm run test:services')
  const files = shared
  const balancer = await startBalancer(t)
  await growTopic(topicOfImports, 32)

  async function start (roles: 'api' | 'worker'): Promise<Replaceable> {
    const service = await startServiceProcess(t, { mongodbUrl, files, env: { ROLES: roles, OPS_PORT: '0', DRAIN_DELAY_SECONDS: roles === 'api' ? '5' : '0' } })
    const started = { service, url: service.url, ops: String(service.logs.find(({ ready }) => ready === true)?.['ops']) }
    if (roles === 'api') balancer.add(started)
    await eventually(`a new ${roles} is ready`, async () => roles === 'api' ? balancer.isReady(started) : (await fetch(`${started.ops}/readyz`)).ok)
    return started
  }
  const apis = [await start('api'), await start('api')]
  const workers = [await start('worker'), await start('worker')]
  const [{ service: first }] = apis as [Replaceable]

  const vendors = await Promise.all(Array.from({ length: vendorCount }, async (_, index) => await createVendor(first, `vendor-${index}`)))
  const failures: string[] = []
  const jobs: Job[] = []
  let [requests, overloaded] = [0, 0]
  const over = new AbortController()

  /** Imports one file after the other, and polls each until it has ended. */
  async function work (vendor: TestVendor): Promise<void> {
    // A client with one connection, which it keeps.
    const dispatcher = new Agent({ connections: 1 })
    t.teardown(async () => { await dispatcher.close() })
    const ask = async (path: string, body?: object): Promise<{ jobId: string, status: string } | undefined> => {
      requests += 1
      try {
        const response = await fetch(`${balancer.url}/api/v1/products/import${path}`, {
          dispatcher,
          headers: { 'x-vendor-api-key': vendor.apiKey, 'content-type': 'application/json' },
          ...body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
        })
        const text = await response.text()
        if (response.ok) return JSON.parse(text) as { jobId: string, status: string }
        if (response.status === 503 && text.includes('overloaded')) {
          overloaded += 1
          await delay(pollMs)
          return await ask(path, body)
        }
        failures.push(`${vendor.id}${path}: ${response.status} ${text}`)
      } catch (error) {
        failures.push(`${vendor.id}${path}: ${String(error)}, ${String((error as Error).cause)}`)
      }
      return undefined
    }
    for (let round = 0; !over.signal.aborted; round++) {
      const name = `${round}.jsonl`
      await vendor.put(name, file(...Array.from({ length: linesPerJob }, (_, index) => line(`P${index}`, { name: `of ${round}` }))))
      const job = await ask('', { files: [name], mode: 'UPDATE' })
      if (job === undefined) return
      jobs.push({ id: job.jobId, vendor })
      for (let status = ''; status !== 'completed' && status !== 'failed';) {
        await delay(pollMs)
        status = (await ask(`/${job.jobId}`))?.status ?? 'failed'
      }
    }
  }
  const working = Promise.all(vendors.map(work))
  /** A vendor stops at its first failure: nothing is waited for then. */
  const isSo = (look: () => boolean) => (): boolean => {
    if (failures.length > 0) throw new Error(failures.join('\n'))
    return look()
  }

  for (const old of apis) {
    await start('api')
    const asked = requests
    await eventually('requests are under way', isSo(() => requests > asked + vendorCount))
    t.strictSame(await old.service.terminate(), { code: 0, signal: null })
    balancer.remove(old)
  }
  const successors: Replaceable[] = []
  for (const old of workers) {
    successors.push(await start('worker'))
    const count = (msg: string): number => old.service.logs.filter((record) => record['msg'] === msg).length
    // Which worker has which vendors is Kafka's to say, and one may be without.
    const isBusy = await eventually('the worker has a job in hand', isSo(() => count('import started') > count('import ended')), 30_000).then(() => true, () => false)
    t.strictSame(await old.service.terminate(), { code: 0, signal: null })
    const assigned = old.service.logs.flatMap(({ msg, partitions }) => msg === 'partitions assigned' ? [(partitions as number[]).slice(0, vendorCount).join()] : [])
    t.comment(`${isBusy ? 'busy' : 'idle'}, ${count('import started')} imports, partitions ${assigned.join('; ')}, handed back: ${count('import handed back')}`)
  }
  over.abort()
  await working
  t.comment(`${vendorCount} vendors, ${jobs.length} jobs, ${requests} requests, ${overloaded} of them told to come again`)

  t.strictSame(failures, [])
  const { importJobs } = first.repositories()
  for (const { id, vendor } of jobs) {
    const job = await importJobs.find(vendor.id, id)
    t.match(job, { status: 'completed', attempt: 1, stats: { productsProcessed: linesPerJob, errors: 0 } }, `${vendor.id} ${id}`)
  }
  t.equal(await first.database().collections.products.countDocuments(), vendorCount * linesPerJob)
  const logs = [...apis, ...workers, ...successors].flatMap(({ service }) => service.logs)
  t.strictSame(logs.filter(({ msg }) => msg === 'took over the job of a lost worker'), [])
  t.strictSame(logs.filter(({ level }) => Number(level) >= 50), [])
})
