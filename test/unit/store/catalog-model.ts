/**
 * What an import must do, said a second time and as plainly as can be: whole catalogs in memory, one line after the other,
 * straight from the line's JSON. It knows valid lines and the faults of lines that `randomLines` makes, and no more.
 */
import { createHash } from 'node:crypto'
import type { ImportMode } from '../../../src/domain/import-job.js'

type Json = Record<string, unknown>
interface ModelVariant { externalId: string, name: unknown, sku: unknown, inventory: unknown, imageExternalId: unknown, prices: unknown, metafields: Json }
export interface ModelProduct extends Json { externalId: string, images: Array<{ externalId: string, url: string }>, aliases: Record<string, string>, variants: ModelVariant[], metafields: Json }

export class CatalogModel {
  readonly products = new Map<string, ModelProduct>()
  readonly stats = { created: 0, updated: 0, skipped: 0 }

  apply (line: Json, mode: ImportMode): void {
    const id = line['externalId'] as string
    const old = this.products.get(id)
    if (this.#isBad(line, old, mode)) {
      this.stats.skipped += 1
      return
    }
    this.stats[old === undefined ? 'created' : 'updated'] += 1
    const next: ModelProduct = structuredClone(old) ?? {
      externalId: id, name: '', brandName: '', externalUrl: '', description: null, publishedAt: null, archived: false, images: [], aliases: {}, variants: [], categories: [], tags: [], metafields: {}
    }
    for (const field of ['name', 'brandName', 'externalUrl', 'description', 'categories', 'tags']) {
      if (field in line) next[field] = line[field] ?? (field === 'categories' || field === 'tags' ? [] : null)
    }
    if ('publishedAt' in line) next['publishedAt'] = line['publishedAt'] === null ? null : new Date(line['publishedAt'] as string).toISOString()
    next['archived'] = line['archived'] ?? (mode === 'REPLACE' ? false : next['archived'])
    if ('images' in line) setImages(next, line['images'] as Json[] | null ?? [])
    if ('variants' in line) setVariants(next, line['variants'] as Json[] | null ?? [], mode)
    setMetafields(next.metafields, line)
    this.products.set(id, next)
  }

  #isBad (line: Json, old: ModelProduct | undefined, mode: ImportMode): boolean {
    const required = ['name', 'brandName', 'externalUrl']
    if (required.some((field) => line[field] === null)) return true
    if ((old === undefined || mode === 'REPLACE') && required.some((field) => !(field in line))) return true
    if (typeof line['tags'] === 'string') return true
    const names = new Map<unknown, unknown>()
    for (const variant of line['variants'] as Json[] | null ?? []) {
      const id = variant['externalId'] ?? variant['sku']
      if (id === undefined || id === null) return true
      if ('name' in variant) names.set(id, variant['name'])
      else if (!names.has(id)) names.set(id, undefined)
    }
    const known = (id: unknown): boolean => old?.variants.some(({ externalId }) => externalId === id) === true
    return [...names].some(([id, name]) => (name === undefined || name === null) && !known(id))
  }
}

function setImages (product: ModelProduct, sent: Json[]): void {
  const images: ModelProduct['images'] = []
  const aliases: Record<string, string> = {}
  for (const { url, externalId } of sent as Array<{ url: string, externalId?: string | null }>) {
    const id = externalId ?? createHash('md5').update(url).digest('hex')
    const kept = images.find((image) => image.url === url)
    if (kept === undefined) images.push({ externalId: id, url })
    else if (kept.externalId !== id) aliases[id] ??= kept.externalId
  }
  for (const [alias, target] of Object.entries(product.aliases)) {
    if (images.some(({ externalId }) => externalId === target) && !(alias in aliases) && !images.some(({ externalId }) => externalId === alias)) aliases[alias] = target
  }
  product.images = images
  product.aliases = aliases
}

function setVariants (product: ModelProduct, sent: Json[], mode: ImportMode): void {
  const old = product.variants
  const result = mode === 'UPDATE' ? [...old] : []
  for (const line of sent) {
    const externalId = (line['externalId'] ?? line['sku']) as string
    let variant = result.find((one) => one.externalId === externalId)
    if (variant === undefined) {
      variant = structuredClone(old.find((one) => one.externalId === externalId)) ?? { externalId, name: null, sku: null, inventory: null, imageExternalId: null, prices: [], metafields: {} }
      result.push(variant)
    }
    if ('name' in line) variant.name = line['name']
    if ('sku' in line) variant.sku = line['sku']
    if ('quantity' in line) variant.inventory = line['quantity']
    if ('inventory' in line) variant.inventory = line['inventory']
    if ('prices' in line) variant.prices = line['prices'] ?? []
    if ('imageExternalId' in line) {
      const image = line['imageExternalId'] as string | null
      variant.imageExternalId = image === null ? null : product.images.some(({ externalId }) => externalId === image) ? image : product.aliases[image] ?? null
    }
    setMetafields(variant.metafields, line)
  }
  product.variants = result
}

function setMetafields (metafields: Json, line: Json): void {
  for (const [key, value] of Object.entries(line)) {
    if (!key.startsWith('meta:')) continue
    const name = key.slice('meta:'.length)
    if (value === null || value === '') delete metafields[name]
    else metafields[name] = typeof value === 'string' ? value : JSON.stringify(value)
  }
}
