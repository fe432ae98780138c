/**
 * The main job from end to end, as a merchant and an operator would do it, with every result checked: sample catalog,
 * vendor and keys, SFTP upload, REPLACE import, UPDATE inventory delta, GraphQL.
 */
import { join } from 'node:path'
import type { ImportMode } from '../domain/import-job.js'
import type { Repositories } from '../store/repositories.js'
import { generateEd25519KeyPair } from '../sftp/key-pair.js'
import { CliError } from './cli-error.js'
import { expectEqual, expectImport } from './demo-checks.js'
import { countLiveProducts, findProduct, importDurationMs, type ShownProduct } from './demo-queries.js'
import { describeErrors, describeStats } from './describe-import.js'
import { followImport } from './follow-import.js'
import { createImportApi, type ImportApi, type RemoteImport } from './import-api.js'
import { inspectLocalFiles } from './local-files.js'
import { createProgress } from './progress.js'
import { countBadLines, inventoryDelta, sampleCatalog, writeSampleFile } from './sample-catalog.js'
import type { SampleProduct } from './sample-product.js'
import type { Screen } from './screen.js'
import { parseSftpAddress } from './sftp-address.js'
import { parseSshPublicKey } from './ssh-public-key.js'
import { uploadFiles, type UploadTarget } from './upload-files.js'
import { wordBytes, wordCount, wordDuration, wordNumber } from './wording.js'

interface DemoOptions {
  /** An empty folder for the sample files. */
  folder: string
  screen: Screen
  signal: AbortSignal
  products: number
  badLineEvery: number
}

/** A running service and its database. */
export interface DemoService {
  url: string
  /** `host:port` */
  sftp: string
  repositories: Repositories
}

export const demoVendorId = 'demo'
const seed = 2_024
const deltaShare = 0.25

interface SampleFiles { catalog: string, delta: string, deltaLines: number, example: SampleProduct }

/** Throws CliError as soon as anything is not as it must be. */
export async function runDemo (options: DemoOptions, startService: () => Promise<DemoService>): Promise<DemoService> {
  const { screen, signal, products } = options
  const files = await makeSampleFiles(options)
  screen.doing('starting the service; the very first time this installs the embedded database')
  const service = await timed(startService)
  screen.done('service', `${service.value.url}, SFTP ${service.value.sftp}  ${service.took}`)
  const { key, target } = await register(service.value, screen)
  const api = createImportApi({ url: service.value.url, key, signal })
  const badLines = Array.from({ length: countBadLines(options) }, (_, index) => (index + 1) * options.badLineEvery)
  const good = products - badLines.length

  await upload([files.catalog, files.delta], target, options)
  const replaced = await importFile(api, files.catalog, 'REPLACE', options)
  expectImport(replaced, { lines: products, created: good, updated: 0, badLines })
  expectEqual('GraphQL: the number of products', await countLiveProducts(api), good)
  const before = await findProduct(api, files.example.externalId)

  const updated = await importFile(api, files.delta, 'UPDATE', options)
  expectImport(updated, { lines: files.deltaLines, created: 0, updated: files.deltaLines, badLines: [] })
  expectEqual('GraphQL: the number of products', await countLiveProducts(api), good)
  showProduct(before, await findProduct(api, files.example.externalId), files.example, screen)
  return service.value
}

async function makeSampleFiles ({ folder, screen, products, badLineEvery }: DemoOptions): Promise<SampleFiles> {
  const sample = { products, seed, badLineEvery }
  const catalog = join(folder, 'products-full.jsonl.gz')
  const delta = join(folder, 'inventory-delta.jsonl.gz')
  screen.doing('making a sample catalog')
  const written = await timed(async () => await writeSampleFile(catalog, sampleCatalog(sample)))
  const { lines: deltaLines } = await writeSampleFile(delta, inventoryDelta({ ...sample, share: deltaShare }))
  const { lines, bytes, fileBytes } = written.value
  screen.done('sample catalog', `${wordCount(lines, 'line')}, ${wordBytes(bytes)} (${wordBytes(fileBytes)} gzipped), ${countBadLines(sample)} bad on purpose  ${written.took}`)
  return { catalog, delta, deltaLines, example: exampleOf(inventoryDelta({ ...sample, share: deltaShare })) }
}

/** The delta's first product with several variants. */
function exampleOf (lines: Iterable<string>): SampleProduct {
  for (const line of lines) {
    const product = JSON.parse(line) as SampleProduct
    if (product.variants.length >= 3) return product
  }
  throw new CliError('The sample delta holds no product with three variants')
}

async function register ({ repositories, sftp }: DemoService, screen: Screen): Promise<{ key: string, target: UploadTarget }> {
  await repositories.vendors.create(demoVendorId, 'Demo Merchant')
  const { key, record } = await repositories.integrationApiKeys.create(demoVendorId, 'demo', ['PRODUCT_MANAGE'])
  const pair = generateEd25519KeyPair('demo')
  const { fingerprint, publicKey, comment } = parseSshPublicKey(pair.public, 'the generated key')
  const added = await repositories.sftpKeys.add({ _id: fingerprint, vendorId: demoVendorId, publicKey, comment, createdAt: new Date() })
  if (!added) throw new CliError('The generated SFTP key belongs to another vendor')
  screen.done('vendor and keys', `${demoVendorId}, API key svc_…${record.hint}, SFTP key ${fingerprint.slice(0, 19)}…`)
  return { key, target: { address: parseSftpAddress(`${demoVendorId}@${sftp}`), identity: pair.private } }
}

async function upload (paths: string[], target: UploadTarget, { screen, signal }: DemoOptions): Promise<void> {
  const files = await inspectLocalFiles(paths)
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  screen.doing('uploading over SFTP')
  const { took } = await timed(async () => { await uploadFiles(files, target, { signal }) })
  screen.done('upload', `${files.map(({ name }) => name).join(', ')}: ${wordBytes(bytes)}  ${took}`)
}

async function importFile (api: ImportApi, path: string, mode: ImportMode, { screen, signal }: DemoOptions): Promise<RemoteImport> {
  const [file] = await inspectLocalFiles([path])
  const jobId = await api.start([file?.name ?? ''], mode)
  const bar = createProgress({ stream: screen.stream, label: mode, lineEveryMs: 1_000 })
  let job: RemoteImport
  try {
    job = await followImport(api, jobId, {
      signal,
      firstPauseMs: 250,
      lastPauseMs: 500,
      onUpdate: ({ status }, progress) => {
        bar.update(progress?.percent == null ? null : progress.percent / 100, progress === null ? status : `${wordNumber(progress.linesRead)} lines read`)
      }
    })
  } finally {
    bar.end()
  }
  const durationMs = await importDurationMs(api, jobId)
  const lines = job.stats?.productsProcessed ?? 0
  screen.done(`${mode} import`, `${job.status} in ${wordDuration(durationMs)}, ${wordCount(Math.round(lines / Math.max(durationMs / 1_000, 0.001)), 'line')}/s`)
  if (job.stats !== null) for (const line of describeStats(job.stats)) screen.detail(line)
  const errorsShown = 6
  for (const line of describeErrors(job.errorDetails.slice(0, errorsShown))) screen.detail(line)
  if (job.errorDetails.length > errorsShown) screen.detail(`  … and ${wordCount(job.errorDetails.length - errorsShown, 'more error')}`)
  return job
}

function showProduct (before: ShownProduct, after: ShownProduct, wanted: SampleProduct, screen: Screen): void {
  const inventories = (product: Pick<SampleProduct, 'variants'> | ShownProduct): unknown[] =>
    product.variants.map(({ externalId, inventory }) => [externalId, inventory])
  expectEqual(`GraphQL: the inventory of ${wanted.externalId} after the delta`, inventories(after), inventories(wanted))
  expectEqual('GraphQL: everything but the inventory', withoutInventory(after), withoutInventory(before))
  screen.done('GraphQL', `product ${after.externalId}: ${after.name}, ${after.brandName}, ${after.visibility.toLowerCase()}`)
  const idWidth = Math.max(...after.variants.map(({ externalId }) => externalId.length))
  after.variants.forEach(({ externalId, name, inventory, prices }, index) => {
    const was = before.variants[index]?.inventory ?? null
    const told = prices.map(({ price, currency }) => `${price.toFixed(2)} ${currency}`).join(', ')
    screen.detail(`  ${externalId.padEnd(idWidth)}  ${name.padEnd(16)}  inventory ${wordStock(was)} → ${wordStock(inventory)}   ${told}`)
  })
}

const wordStock = (inventory: number | null): string => (inventory === null ? '—' : wordNumber(inventory)).padStart(4)

const withoutInventory = ({ variants, ...product }: ShownProduct): unknown =>
  ({ ...product, variants: variants.map(({ inventory: _inventory, ...variant }) => variant) })

async function timed<T> (work: () => Promise<T>): Promise<{ value: T, took: string }> {
  const started = performance.now()
  const value = await work()
  return { value, took: `(${wordDuration(performance.now() - started)})` }
}
