/** Runs what a seed makes of a vendor's imports: the real worker, its run of a job and the store, over a database in memory and in virtual time. */
import { createRandom, type Random } from '../../../src/cli/sample-random.js'
import type { ImportJob } from '../../../src/domain/import-job.js'
import { maxAttempts } from '../../../src/domain/lane.js'
import { externalKey } from '../../../src/domain/fitment-target.js'
import { defaultBatchLimits } from '../../../src/engine/batching.js'
import { createImportQueue } from '../../../src/jobs/import-queue.js'
import { createImportWorker, type ImportWorker } from '../../../src/jobs/import-worker.js'
import { createRunImport } from '../../../src/jobs/run-import.js'
import type { Collections } from '../../../src/store/database/connection.js'
import { createImportIssues } from '../../../src/store/jobs/import-issues.js'
import { createImportJobs } from '../../../src/store/jobs/import-jobs.js'
import { createLanes } from '../../../src/store/jobs/lanes.js'
import { createLinkRemovals } from '../../../src/store/catalog/link-removals.js'
import type { Repositories } from '../../../src/store/repositories.js'
import { createSearchVocabularies } from '../../../src/store/search/search-vocabularies.js'
import { createWorkers } from '../../../src/store/jobs/workers.js'
import { createUpsertProducts } from '../../../pipelines/product-upsert.js'
import { silent } from '../log.js'
import { memoryFiles } from '../memory-files.js'
import type { JobModel } from './job-model.js'
import { MemoryCollection, type OnChange, type Stored } from './memory-collection.js'
import { targetIds } from './plain-product.js'
import { remoteCollections, type DatabaseServer, type Transactions } from './remote-collections.js'
import { scenarioOf, type Happening, type HoldUp, type Scenario, type Whom } from './scenario.js'
import { VendorModel, type Errand } from './vendor-model.js'
import { inVirtualTime, type Actor, type VirtualTime } from './virtual-time.js'

/** A fault of the code under test, made by what is around it. */
export interface Planted {
  /** What becomes of a product on its way to the disk. */
  keep?: (product: Stored) => Stored
  answer?: DatabaseServer['answer']
  transactions?: Transactions
}

export type End = 'completed' | 'completed by another worker' | 'cancelled' | 'cancelled in the queue' | 'given up' | 'named nothing'

export interface SeedRun {
  /** What does not hold. */
  failures: string[]
  trace: string[]
  /** How each job ended. */
  ends: End[]
}

/** A worker's process; there is none in it before it has begun. */
interface Place { actor: Actor, worker: ImportWorker | null }

const vendorId = 'vendor'
const never: HoldUp = { heldAfterMs: 0, heldForMs: 0 }
const beatMs = 150
const leaseMs = 700
const recoverEveryMs = 400
/** Long after everything: whatever has not ended by then never does. */
const patienceMs = 10 * 60_000
/** Of one seed after the other. */
const transactionsBySeed = ['work', 'none', 'work', 'fail'] as const

export async function runSeed (seed: number, planted: Planted = {}, wantsTrace = false): Promise<SeedRun> {
  const random = createRandom(seed)
  const scenario = scenarioOf(random)
  const usualBatch = defaultBatchLimits.maxRecords
  defaultBatchLimits.maxRecords = scenario.maxBatchRecords
  try {
    const transactions = planted.transactions ?? transactionsBySeed[seed % transactionsBySeed.length] ?? 'work'
    return await inVirtualTime(random, async (time) => await run(time, random, scenario, { ...planted, transactions }, wantsTrace))
  } finally {
    defaultBatchLimits.maxRecords = usualBatch
  }
}

async function run (time: VirtualTime, random: Random, scenario: Scenario, planted: Planted & { transactions: Transactions }, wantsTrace: boolean): Promise<SeedRun> {
  const world = time.actor('world')
  const failures: string[] = []
  const trace: string[] = []
  const tell = (actor: Actor, what: () => string): void => { if (wantsTrace) trace.push(`${time.nowMs} ${actor.name} ${what()}`) }
  const errands = new Map<Actor, Errand>()
  const model = new VendorModel(scenario.files, errands, (what) => {
    failures.push(what)
    tell(time.current, () => `FAILURE ${what}`)
  })
  const observed = (name: string, onChange: OnChange): MemoryCollection => new MemoryCollection((before, after) => {
    tell(time.current, () => `${name} ${JSON.stringify(after)}`)
    onChange(before, after)
  }, name === 'products' ? planted.keep : undefined)
  const collections = new Map([
    ['products', observed('products', (before, after) => { if (after !== null) model.productChanged(before, after, time.current) })],
    ['importJobs', observed('importJobs', (before, after) => { if (after !== null) model.jobChanged(before, after, time.current, time.nowMs) })],
    ['importIssues', observed('importIssues', (before, after) => { if (after !== null && before === null) model.issueAdded(after, time.current) })],
    ['importLanes', observed('importLanes', (_before, after) => { if (after !== null) model.laneChanged(after) })],
    ...['unkeptIssues', 'workers', 'searchVocabularies', 'fitmentTargets', 'sizeCharts', 'storeLocations', 'linkRemovals'].map((name) => [name, new MemoryCollection()] as const)
  ])
  const { away, lossShare } = scenario
  let calls = 0
  function called (actor: Actor, collection: string): void {
    if (collection !== 'products' || errands.has(actor)) return
    calls += 1
    for (const happening of scenario.happenings) if ('atCall' in happening && happening.atCall === calls) time.after(0, world, () => { happen(happening) })
  }
  const server: DatabaseServer = {
    collections,
    time,
    random,
    away,
    lossShare,
    transactions: planted.transactions,
    called,
    trace: tell,
    answer: planted.answer ?? ((_collection, _method, _actor, result) => result)
  }
  for (const [externalId, _id] of Object.entries(targetIds)) {
    collections.get('fitmentTargets')?.insert({ _id, vendorId, externalId, externalKey: externalKey(vendorId, externalId) })
  }
  const files = memoryFiles(Object.fromEntries(Array.from(scenario.files, ([name, lines]) => [name, {
    * [Symbol.iterator] () {
      for (const { text } of lines) yield new Promise<string>((resolve) => { setTimeout(() => { resolve(`${text}\n`) }, random.integer(0, 4)) })
    }
  }])))

  const workers: Place[] = []
  let started = 0
  function startWorker (place: number): void {
    const actor = time.actor(`worker ${++started}`, scenario.skewsMs[place])
    const own = remoteCollections(server, actor)
    const process: Place = { actor, worker: null }
    workers[place] = process
    time.after(0, actor, () => {
      process.worker = createImportWorker({
        workerId: actor.name, repositories: repositoriesOf(own), run: createRunImport({ collections: own, files, log: silent }), log: silent, beatMs, leaseMs
      })
    })
  }
  const placeOf = (whom: Whom): number => whom === 'runner' ? Math.max(0, workers.findIndex(({ actor }) => actor.name === model.owner)) : whom
  function hint (whom: Whom): void {
    const { actor, worker } = workers[placeOf(whom)] as Place
    // Who shuts down hears of it; recovery wakes another.
    time.after(random.integer(0, 5), actor, () => { worker?.wake(vendorId).catch(() => {}) })
  }
  const hintSomeone = (): void => { hint(random.integer(0, workers.length - 1)) }

  let requests = 0
  /** What is still to happen by the clock, and who waits for an answer. */
  let left = 0
  /** A process of the API that does one thing, and may be held up in the middle of it; what it is answered is the merchant's affair. */
  function ask (what: string, errand: Omit<Errand, 'during'>, request: (collections: Collections) => Promise<unknown>, { heldAfterMs, heldForMs }: HoldUp = never): void {
    const actor = time.actor(`${what} ${++requests}`, scenario.skewsMs.at(-1))
    errands.set(actor, { ...errand, during: model.runningJobId })
    time.after(0, actor, () => {
      request(remoteCollections(server, actor))
        .catch((error: unknown) => { tell(actor, () => `fails: ${(error as Error).message}`) })
        .finally(() => { left -= 1 })
    })
    time.after(heldAfterMs, world, () => { actor.heldUntilMs = time.nowMs + heldForMs })
    left += 1
  }
  const queueOf = (own: Collections) => createImportQueue(repositoriesOf(own), () => { if (random.chance(0.9)) hintSomeone() }, silent)

  function happen (happening: Happening): void {
    tell(time.current, () => JSON.stringify(happening))
    switch (happening.what) {
      case 'job': return ask('accept', {}, async (own) => await queueOf(own).start(vendorId, happening.request, null))
      case 'cancel': {
        const jobId = model.jobs[happening.job]?.jobId
        return jobId === undefined ? undefined : ask('cancel', {}, async (own) => await queueOf(own).cancel(vendorId, jobId))
      }
      case 'upsert': {
        const { record, heldUp } = happening
        return ask('upsert', { record }, async (own) => await createUpsertProducts(own)(vendorId, [record]), heldUp)
      }
      case 'remove target': {
        const targetId = targetIds[happening.externalId] as string
        model.removed.add(targetId)
        return ask('remove', { removes: targetId }, async (own) => {
          await own.fitmentTargets.deleteOne({ _id: targetId })
          await createLinkRemovals(own).run(vendorId, 'fitment-target', targetId)
        })
      }
      case 'hint': return hint(happening.worker)
      case 'crash': {
        const place = placeOf(happening.worker);
        (workers[place] as Place).actor.isDead = true
        return time.after(happening.backInMs, world, () => { startWorker(place) })
      }
      case 'hold': {
        const { actor } = workers[placeOf(happening.worker)] as Place
        actor.heldUntilMs = time.nowMs + happening.forMs
        actor.deafUntilMs = actor.heldUntilMs + happening.deafForMs
        return
      }
      case 'shut down': {
        const place = placeOf(happening.worker)
        stop(place)
        return startWorker(place)
      }
    }
  }
  function stop (place: number): void {
    const { actor, worker } = workers[place] as Place
    // It has the time to: whoever has not is dead.
    time.after(0, actor, () => { void worker?.stop().catch(() => {}) })
  }

  for (let place = 0; place < scenario.skewsMs.length - 1; place++) startWorker(place)
  for (const happening of scenario.happenings) {
    if (!('atMs' in happening)) continue
    left += 1
    time.after(happening.atMs, world, () => {
      left -= 1
      happen(happening)
    })
  }
  const recover = (): void => {
    hintSomeone()
    time.after(recoverEveryMs, world, recover)
  }
  recover()

  const lane = (): Stored | null => collections.get('importLanes')?.get(vendorId) ?? null
  await time.run(patienceMs, () => left === 0 && lane()?.['active'] !== true)
  const wasOver = time.nowMs < patienceMs
  // Nothing that still comes may change anything: zombies are at work until they hear of it.
  world.isDead = true
  for (let place = 0; place < workers.length; place++) stop(place)
  await time.run(2 * patienceMs)

  if (!wasOver) failures.push('some job never ends')
  const ends = model.jobs.flatMap((job) => endOf(job, collections, lossShare > 0 || away.length > 0, (what) => { failures.push(what) }) ?? [])
  return { failures, trace, ends }
}

const repositoriesOf = (collections: Collections): Repositories => ({
  lanes: createLanes(collections), importJobs: createImportJobs(collections), importIssues: createImportIssues(collections), workers: createWorkers(collections),
  searchVocabularies: createSearchVocabularies(collections)
} as unknown as Repositories)

/** Each job has ended, and says why and with what where it has failed. */
function endOf ({ jobId, created, archived, overtaken, issues, hearsay }: JobModel, collections: Map<string, MemoryCollection>, answersGetLost: boolean, fail: (what: string) => void): End | null {
  const job = collections.get('importJobs')?.get(jobId) as unknown as ImportJob | null
  if (job?.status === 'completed') return job.attempt > 1 ? 'completed by another worker' : 'completed'
  if (job?.status !== 'failed' || job.stats === null) {
    fail(`job ${jobId} is ${job?.status ?? 'lost'}`)
    return null
  }
  const { productsCreated, productsArchived, errors } = job.stats
  const isBelow = productsCreated <= created.size && productsArchived <= archived.size && errors <= issues.size + hearsay.size
  const isExact = isBelow && productsCreated === created.size && productsArchived === archived.size && errors >= issues.size
  const reason = String(collections.get('importIssues')?.get(`${jobId}:E:000:000000000000:0000`)?.['message'])
  if (reason.startsWith('Given up') && job.attempt > maxAttempts) {
    if (!isExact) fail(`job ${jobId} is given up and counts ${JSON.stringify(job.stats)}`)
    return 'given up'
  }
  if (reason.startsWith('No line of this REPLACE')) return 'named nothing'
  if (!job.cancelRequested) fail(`job ${jobId} failed: ${reason}`)
  // Nor does one that is cancelled before it has read the marks of what was overtaken count that.
  const isNearlyExact = isExact || (isBelow && productsCreated >= created.size - overtaken.size && productsArchived === archived.size && errors >= issues.size)
  // One that was run before counts no more than its last run came to; nor can anyone count what was done, and never answered.
  if (job.runs === 1 && !answersGetLost ? !isNearlyExact : !isBelow) fail(`job ${jobId} is cancelled and counts ${JSON.stringify(job.stats)}, not ${created.size} created, ${archived.size} archived, ${issues.size} errors`)
  return job.runs === 0 ? 'cancelled in the queue' : 'cancelled'
}
