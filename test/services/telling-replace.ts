/**
 * A REPLACE in which everything differs between a first attempt and a second one, if one does not take care, and what it leaves
 * behind: how a test tells whether a disturbed job has done exactly what an undisturbed one does.
 */
import type { Test } from 'tap'
import { productId } from '../../src/domain/product.js'
import { catalogOf, issuesOf } from '../support/catalog-contents.js'
import { eventually } from '../support/eventually.js'
import { file, line } from '../support/product-lines.js'
import { startServiceProcess, type ServiceProcess, type ServiceProcessOptions } from '../support/service-process.js'
import { createVendor, type TestVendor } from '../support/vendor.js'

export const lineCount = 1_600
const absentCount = 300

/** Products that are there before: some are in the REPLACE, some are not. */
const before = file(
  ...Array.from({ length: absentCount }, (_, index) => line(`absent-${index}`)),
  ...Array.from({ length: 300 }, (_, index) => line(`P${index}`, { name: 'before', tags: ['before'] }))
)

/** Everything that makes a second attempt different from the first, if one does not take care. */
function replaceLine (index: number): string {
  const images = [
    { url: `https://cdn.example.com/${index}.jpg`, externalId: 'front' },
    { url: `https://cdn.example.com/${index}.jpg`, externalId: 'again' }
  ]
  if (index % 97 === 13) return `{"externalId": "P${index}", `
  // A bad line that names a product which would be archived otherwise.
  if (index % 101 === 7) return JSON.stringify({ externalId: `absent-${index % absentCount}`, brandName: 'Northwind', externalUrl: 'https://shop.example.com/' })
  switch (index % 50) {
    // The same product again, also in another batch.
    case 21: return line(`P${index - 20}`, { name: `again ${index}` })
    case 22: return line(`P${Math.max(0, index - 1_020)}`, { name: `much later ${index}`, images })
    // Bad as long as the product has no such variant, which the line after it brings.
    case 31: return line(`P${index - 30}`, { variants: [{ externalId: 'v', inventory: 1 }] })
    case 32: return line(`P${index - 31}`, { variants: [{ externalId: 'v', name: 'V', inventory: 2, imageExternalId: 'again' }] })
    // Warnings, told by line and once per job.
    case 41: return line(`P${index}`, { fitmentTargetExternalIds: ['unknown'] })
    case 42: return line(`P${index}`, { variants: [{ externalId: 'v', name: 'V', inventoryByLocation: { nowhere: 1 } }] })
    default: return line(`P${index}`, { images, 'meta:number': index, variants: [{ sku: `S${index}`, name: 'One', imageExternalId: 'again', inventory: index }] })
  }
}

const replacement = file(...Array.from({ length: lineCount }, (_, index) => replaceLine(index)))

/** A service with a vendor whose products are there, and both files: all but the REPLACE of `replacement.jsonl` itself. */
export async function prepareReplace (t: Test, options: ServiceProcessOptions): Promise<{ service: ServiceProcess, vendor: TestVendor }> {
  const service = await startServiceProcess(t, options)
  const vendor = await createVendor(service)
  await vendor.put('before.jsonl', before)
  await vendor.put('replacement.jsonl', replacement)
  await vendor.runImport({ files: ['before.jsonl'], mode: 'UPDATE' })
  return { service, vendor }
}

/** A product that shows how far the job is: written by it, or archived by it. */
interface Moment { externalId: string, archived: boolean }

/** `progress` from 0 (accepted) to 1 (all but ended). */
export function momentAt (progress: number): Moment | null {
  const place = Math.floor(progress * (lineCount + absentCount))
  if (place === 0) return null
  if (place >= lineCount) return { externalId: `absent-${place - lineCount}`, archived: true }
  // Of every fifty, these lines write a product of their own.
  return { externalId: `P${place - place % 50 + 5}`, archived: false }
}

export async function reached (service: ServiceProcess, vendor: TestVendor, jobId: string, moment: Moment | null): Promise<void> {
  if (moment === null) return
  const { collections } = service.database()
  const { importJobs } = service.repositories()
  const _id = productId(vendor.id, moment.externalId)
  await eventually(`the job has come to ${moment.externalId}`, async () => {
    const product = await collections.products.findOne({ _id }, { projection: { writtenBy: 1, archivedByJobId: 1 } })
    const by = moment.archived ? product?.archivedByJobId : product?.writtenBy
    if (JSON.stringify(by ?? null).includes(jobId)) return true
    const job = await importJobs.find(vendor.id, jobId)
    return job?.status === 'completed' || job?.status === 'failed'
  })
}

export interface ImportResult { catalog: unknown[], stats: unknown, issues: unknown[] }

export async function resultOf (service: ServiceProcess, { id }: TestVendor, jobId: string): Promise<ImportResult> {
  const job = await service.repositories().importJobs.find(id, jobId)
  return { catalog: await catalogOf(service.database(), id), stats: job?.stats, issues: await issuesOf(service.database(), id, jobId) }
}

export function compareResults (t: Test, name: string, result: ImportResult, reference: ImportResult): void {
  t.strictSame(result.stats, reference.stats, `${name}: stats`)
  t.strictSame(result.issues.map(asText), reference.issues.map(asText), `${name}: issues`)
  t.strictSame(differences(result.catalog, reference.catalog), [], `${name}: products`)
}

const asText = (value: unknown): string => JSON.stringify(value)

/** The first few only: a diff of thousands of documents helps nobody. */
function differences (found: unknown[], wanted: unknown[]): string[] {
  const left = found.map(asText)
  const right = wanted.map(asText)
  const [inLeft, inRight] = [new Set(left), new Set(right)]
  return [
    ...left.filter((text) => !inRight.has(text)).slice(0, 3).map((text) => `only disturbed: ${text}`),
    ...right.filter((text) => !inLeft.has(text)).slice(0, 3).map((text) => `only undisturbed: ${text}`)
  ]
}
