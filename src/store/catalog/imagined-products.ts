/** What a dry run would have made: products and variants that later lines may take for granted, though nothing is stored. */
import { DigestSet } from '../../domain/digest-set.js'
import type { MergeablePatch } from '../../domain/mergeable-patch.js'
import { variantId } from '../../domain/product.js'

export class ImaginedProducts {
  readonly #ids = new DigestSet()

  /** Once the patch would have been applied. */
  add (productId: string, { variants = [] }: MergeablePatch): void {
    this.#ids.add(productId)
    for (const { externalId } of variants) this.#ids.add(variantId(productId, externalId))
  }

  has (productId: string): boolean { return this.#ids.has(productId) }
  hasVariant (productId: string, externalId: string): boolean { return this.#ids.has(variantId(productId, externalId)) }
}
