/**
 * Catalog files to try, test and measure the service with: the lines of a full catalog, those of an inventory delta of the
 * same catalog, and a file to hold them. The same options give the same bytes.
 */
import { createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { sampleProduct, type SampleProduct } from './sample-product.js'
import { createRandom, seedOf } from './sample-random.js'

interface SampleCatalogOptions {
  /** How many lines, the bad ones included. */
  products: number
  seed: number
  /** Every n-th line is bad, in turn in one of the ways of `badLineKinds`. Without it, none is. */
  badLineEvery?: number
}

interface InventoryDeltaOptions extends SampleCatalogOptions {
  /** 0 to 1: how many of the products get new quantities. */
  share: number
}

/** Ways in which a line can be bad: each is one fault, whatever the mode, as long as the product is new. */
const badLineKinds: ReadonlyArray<(product: SampleProduct) => string> = [
  // Cut off in the middle, as by a full disk.
  (product) => JSON.stringify(product).slice(0, -40),
  ({ name, ...product }) => JSON.stringify(product),
  (product) => JSON.stringify({ ...product, externalUrl: 'shop.example.com/no-scheme' }),
  (product) => JSON.stringify({ ...product, variants: repriced(product, { price: 10, currency: 'EURO' }) }),
  (product) => JSON.stringify({ ...product, brandName: 42 }),
  (product) => JSON.stringify({ ...product, variants: repriced(product, { price: -1, currency: 'USD' }) })
]

const repriced = ({ variants: [first, ...others] }: SampleProduct, price: { price: number, currency: string }): unknown[] =>
  [{ ...first, prices: [price] }, ...others]

/** JSON text of one line each, without the line end; about 1 KB. */
export function * sampleCatalog ({ products, seed, badLineEvery }: SampleCatalogOptions): Generator<string> {
  for (let index = 0; index < products; index += 1) {
    const product = sampleProduct(seed, index)
    const bad = isBadLine(index, badLineEvery) ? badLineKinds[((index + 1) / (badLineEvery ?? 1) - 1) % badLineKinds.length] : undefined
    yield bad === undefined ? JSON.stringify(product) : bad(product)
  }
}

/**
 * UPDATE lines that set the inventory of every variant of a share of the catalog's products. With the catalog's
 * `badLineEvery`, products whose line was bad are left out: they do not exist, so an update of them would be an error.
 */
export function * inventoryDelta ({ products, seed, share, badLineEvery }: InventoryDeltaOptions): Generator<string> {
  for (let index = 0; index < products; index += 1) {
    const random = createRandom(seedOf(~seed, index))
    if (!random.chance(share) || isBadLine(index, badLineEvery)) continue
    const { externalId, variants } = sampleProduct(seed, index)
    yield JSON.stringify({
      externalId,
      variants: variants.map((variant) => ({ externalId: variant.externalId ?? variant.sku, inventory: random.integer(0, 500) }))
    })
  }
}

/** How many of the lines of such a catalog are bad. */
export const countBadLines = ({ products, badLineEvery }: Pick<SampleCatalogOptions, 'products' | 'badLineEvery'>): number =>
  badLineEvery === undefined ? 0 : Math.floor(products / badLineEvery)

const isBadLine = (index: number, every: number | undefined): boolean => every !== undefined && (index + 1) % every === 0

/** Strings are handed on in pieces of about this many characters: one write per line would cost more than making it. */
const pieceCharacters = 64 * 1024

/**
 * Writes the lines to a gzipped file, one per line, at the pace of the disk: memory does not grow with their number.
 * Rejects with the file system's error. `bytes` are those of the text, `fileBytes` those on disk.
 */
export async function writeSampleFile (path: string, lines: Iterable<string>): Promise<{ lines: number, bytes: number, fileBytes: number }> {
  const written = { lines: 0, bytes: 0 }
  function * pieces (): Generator<Buffer> {
    let text = ''
    const take = (): Buffer => {
      const piece = Buffer.from(text)
      written.bytes += piece.length
      text = ''
      return piece
    }
    for (const line of lines) {
      text += `${line}\n`
      written.lines += 1
      if (text.length >= pieceCharacters) yield take()
    }
    if (text !== '') yield take()
  }
  await pipeline(Readable.from(pieces(), { objectMode: false }), createGzip(), createWriteStream(path))
  return { ...written, fileBytes: (await stat(path)).size }
}
