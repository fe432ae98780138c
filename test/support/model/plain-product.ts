/** What a line does to a product, as plainly as it can be said, for the few fields that the model's lines have. */
import type { ImportMode } from '../../../src/domain/import-job.js'
import { fromDocument, type ProductDocument } from '../../../src/store/catalog/product-document.js'
import type { Fields, Stored } from './memory-collection.js'

export interface PlainProduct { name: string, description: string | null, tags: string[], archived: boolean, targets: string[] }

/** Of a vendor's fitment targets: id by external id, those that were removed included. */
export const targetIds: Readonly<Record<string, string>> = { T1: 'target-1', T2: 'target-2' }

const required = ['name', 'brandName', 'externalUrl']
export const isWhole = (line: Fields): boolean => required.every((field) => field in line)

/** A line that is bad wherever it comes. */
export const isBad = (line: Fields | null, mode: ImportMode): boolean =>
  line === null || typeof line['tags'] === 'string' || (mode === 'REPLACE' && !isWhole(line))

/** null: not for a product that is not there. */
export function applied (product: PlainProduct | null, line: Fields, mode: ImportMode): PlainProduct | null {
  if (isBad(line, mode) || (product === null && !isWhole(line))) return null
  const old: PlainProduct = product ?? { name: '', description: null, tags: [], archived: false, targets: [] }
  const sent = line['fitmentTargetExternalIds'] as string[] | undefined
  return {
    name: (line['name'] ?? old.name) as string,
    description: ('description' in line ? line['description'] : old.description) as string | null,
    tags: (line['tags'] ?? old.tags) as string[],
    archived: (line['archived'] ?? (mode === 'REPLACE' ? false : old.archived)) as boolean,
    targets: sent?.flatMap((externalId) => targetIds[externalId] ?? []) ?? old.targets
  }
}

export function plain (document: Stored): PlainProduct {
  const { name, description, tags, archived, fitmentTargetIds: targets } = fromDocument(document as unknown as ProductDocument)
  return { name, description, tags, archived, targets }
}

/** `removed`: targets that are not there any more, or go just now; a line may have met them or not. */
export function isSame (found: PlainProduct, wanted: PlainProduct, removed: ReadonlySet<string>): boolean {
  const withoutTargets = ({ name, description, tags, archived }: PlainProduct): string => JSON.stringify([name, description, tags, archived])
  return withoutTargets(found) === withoutTargets(wanted) &&
    found.targets.every((id) => wanted.targets.includes(id)) && wanted.targets.every((id) => removed.has(id) || found.targets.includes(id))
}
