/**
 * How lines change a product (decisions.md, "Merging" and "Bounds"), for both modes: they are folded into it one after the other, in
 * memory. What a line costs follows from its own bytes. The product as a whole is looked through once, when something of it is needed for
 * the first time, and written out once, at the end. Of what only concerns variants nothing but those is looked at.
 *
 *  - A field that was not sent stays; a field that was sent replaces the old value; null clears it.
 *  - Metafields merge key by key. Variants merge by external id; in REPLACE a list that was sent is the complete list.
 *  - Presence in a REPLACE brings an archived product back, unless its line says otherwise.
 *  - A line applies whole or not at all: one that would pass a bound leaves everything as it was. The same line again changes nothing,
 *    which is what `patchHash` relies on.
 *
 * Sizes: the bytes of the document are a sum that each change adjusts. Nearly all products are certainly small, by the characters of their
 * lines alone; for them it is never taken. The others are measured once, and from then on whatever a line changes can be undone. What a
 * line takes away is measured once as well, however many lines take it away in vain.
 */
import { FoldedMetafields } from './folded-metafields.js'
import type { ImportMode } from './import-job.js'
import { clip, maxFaults, type Fault, type Warning } from './issue.js'
import { MeasuredRecords } from './measured-records.js'
import { plainFields, plainVariantFields, type MergeablePatch, type MergeableVariant } from './mergeable-patch.js'
import { missingFields } from './missing-fields.js'
import { mostBytes } from './most-bytes.js'
import { newVariant, toPrice } from './new-variant.js'
import type { ProductBounds } from './product-bounds.js'
import { contentWith, TakenContent, type FoldableContent, type OtherContent } from './product-content.js'
import type { Metafield, ProductContent, Variant } from './product.js'
import { isSameOrder, sameContent } from './same-content.js'
import type { OnChange } from './shared-ids.js'
import { FoldedStock } from './stock.js'
import { contentBytes, fieldBytes, listBytes } from './stored-size.js'
import { skipped, type Verdict } from './verdict.js'

export interface ProductFoldOptions {
  productId: string
  mode: ImportMode
  bounds: Readonly<ProductBounds>
  /** That the stored content has in a document, at most; 0: there is none. */
  mostBytes: number
  /** Present also when only a dry run has made the product. */
  exists: boolean
  /** Whether a dry run has made the variant, which the content then lacks. */
  imaginesVariant: (externalId: string) => boolean
}

export class ProductFold {
  readonly #options: ProductFoldOptions
  readonly #others: TakenContent
  #exists: boolean
  /** Nothing is stored, and no line has been applied. */
  #isEmpty: boolean
  #variantList: Variant[]
  /** null: the list is what counts. */
  #variants: Map<string, Variant> | null = null
  readonly #metafields = new FoldedMetafields()
  readonly #measured = new MeasuredRecords()
  readonly #stock = new FoldedStock(this.#measured)
  /** Links to fitment targets; null: not counted so far. */
  #targets: number | null = null
  #atMostBytes: number
  /** null: certainly below the bound. */
  #bytes: number | null = null
  /** What the line in hand has changed. */
  #isChange = false
  #undo: Array<() => void> = []
  #metafieldsToCome: Array<() => void> = []

  /** Takes the content over: its lists are replaced, and its variants changed. null: no product is stored. */
  constructor (stored: FoldableContent | null, options: ProductFoldOptions) {
    this.#options = options
    this.#others = new TakenContent(stored)
    this.#variantList = stored?.variants ?? []
    this.#exists = options.exists
    this.#isEmpty = stored === null
    this.#atMostBytes = options.mostBytes
  }

  /** `known` are the faults that the stages have found in the line, `characters` what it has. The patch is left untouched. */
  apply (patch: MergeablePatch, known: readonly Fault[], characters: number): Verdict {
    const { mode, bounds, imaginesVariant } = this.#options
    // In REPLACE the validate stage has asked every line for the product's required fields already.
    const missing = missingFields(patch, this.#exists || mode === 'REPLACE', (externalId) => this.#variant(externalId) !== undefined || imaginesVariant(externalId))
    if (missing.length > 0 || known.length > 0) return skipped(missing.filter(({ path }) => !known.some((fault) => fault.path === path)))
    const tooMany = this.#passedBounds(patch)
    if (tooMany.length > 0) return skipped(tooMany)

    this.#atMostBytes += mostBytes(characters, patch, patch.imageSet === undefined ? 0 : this.#countVariants() + this.#images.aliasCount)
    if (this.#bytes === null && this.#atMostBytes > bounds.storedBytes) this.#bytes = contentBytes(this.content)
    const before = this.#bytes ?? 0
    const warnings: Warning[] = []
    this.#isChange = this.#isEmpty
    this.#merge(patch, warnings)
    if (this.#bytes !== null && this.#bytes > bounds.storedBytes && this.#bytes > before) {
      this.#takeBack(before)
      return skipped([{ code: 'product-too-large', path: '', detail: bounds.storedBytes }])
    }
    if (this.#metafieldsToCome.length > 0) for (const apply of this.#metafieldsToCome.splice(0)) apply()
    if (this.#undo.length > 0) this.#undo = []
    const outcome = this.#exists ? 'updated' : 'created'
    this.#exists = true
    this.#isEmpty = false
    return { outcome, faults: [], warnings, isChange: this.#isChange }
  }

  /** As it is after the lines so far, written out. */
  get content (): ProductContent { return contentWith(this.#others.settle(), this.#settledVariants()) }

  /** The variants after the lines so far, where those have needed nothing else; null: they have. */
  get onlyVariants (): Variant[] | null { return this.#others.isTaken ? null : this.#settledVariants() }

  #settledVariants (): Variant[] {
    this.#metafields.settle()
    this.#stock.settle()
    return [...this.#eachVariant()]
  }

  get #content (): OtherContent { return this.#others.content }

  get #images (): TakenContent['images'] { return this.#others.images }

  /** The sum; null: certainly below the bound. */
  get bytes (): number | null { return this.#bytes }

  /** The bounds that the product would pass, by what the line adds to it. What is over its bound already may shrink. */
  #passedBounds (patch: MergeablePatch): Fault[] {
    const { bounds, mode } = this.#options
    const faults: Fault[] = []
    const check = (path: string, bound: number, count: number, before: number): void => {
      if (count > bound && count > before && faults.length < maxFaults) faults.push({ code: 'too-many-merged', path, detail: bound })
    }
    if (patch.imageSet !== undefined) check('images', bounds.images, patch.imageSet.list.length, this.#content.images.length)
    if (patch.tags !== undefined) check('tags', bounds.tags, patch.tags.length, this.#content.tags.length)
    if (patch.metafieldChanges.size > 0) this.#checkMetafields(this.#content, patch, null, check)
    if (patch.variants !== undefined) {
      let added = 0
      for (const variant of patch.variants) {
        const existing = this.#variant(variant.externalId)
        if (existing === undefined) added += 1
        this.#checkMetafields(existing ?? emptyVariant, variant, variant, check)
        if (variant.stock === undefined || variant.stock.units.size + this.#stock.mostInStock(existing ?? emptyVariant) <= bounds.locations) continue
        const stock = this.#stock.get(existing ?? emptyVariant, variant.stock.active)
        check(`variants[${variant.index}].inventoryByLocation`, bounds.locations, stock.inStockWith(variant.stock.units), stock.inStock)
      }
      const before = this.#countVariants()
      check('variants', bounds.variants, mode === 'REPLACE' ? patch.variants.length : before + added, before)
    }
    if (patch.fitmentTargetIds !== undefined || patch.variants?.some(({ fitmentTargetIds }) => fitmentTargetIds !== undefined) === true) {
      check('fitmentTargetExternalIds', bounds.fitmentTargets, this.#targetsWith(patch), this.#countTargets())
    }
    return faults
  }

  #checkMetafields (
    owner: { metafields: Metafield[] }, { metafieldChanges }: Pick<MergeablePatch, 'metafieldChanges'>, variant: MergeableVariant | null,
    check: (path: string, bound: number, count: number, before: number) => void
  ): void {
    const { metafields: bound } = this.#options.bounds
    const before = this.#metafields.countOf(owner)
    if (before + metafieldChanges.size <= bound) return
    check(variant === null ? 'metafields' : `variants[${variant.index}].metafields`, bound, this.#metafields.plan(owner, metafieldChanges).count, before)
  }

  #countTargets (): number {
    if (this.#targets === null) {
      this.#targets = this.#content.fitmentTargetIds.length
      for (const { fitmentTargetIds } of this.#eachVariant()) this.#targets += fitmentTargetIds.length
    }
    return this.#targets
  }

  #targetsWith ({ fitmentTargetIds, variants }: MergeablePatch): number {
    const own = this.#content.fitmentTargetIds.length
    const ownAfter = fitmentTargetIds?.length ?? own
    const isComplete = this.#options.mode === 'REPLACE' && variants !== undefined
    let count = isComplete ? ownAfter : this.#countTargets() - own + ownAfter
    for (const { externalId, fitmentTargetIds: sent } of variants ?? []) {
      const before = this.#variant(externalId)?.fitmentTargetIds.length ?? 0
      count += (sent?.length ?? before) - (isComplete ? 0 : before)
    }
    return count
  }

  #merge (patch: MergeablePatch, warnings: Warning[]): void {
    for (const field of plainFields) if (patch[field] !== undefined) this.#set(this.#content, field, patch[field])
    const archived = patch.archived ?? (this.#options.mode === 'REPLACE' ? false : undefined)
    if (archived !== undefined) this.#set(this.#content, 'archived', archived)
    if (patch.fitmentTargetIds !== undefined) this.#setTargets(this.#content, patch.fitmentTargetIds)
    if (patch.imageSet !== undefined) {
      this.#set(this.#content, 'images', patch.imageSet.list)
      const { isChange, bytes } = this.#images.replace(patch.imageSet, () => this.#eachVariant(), this.#onChange)
      this.#isChange ||= isChange
      this.#grow(bytes)
    }
    if (patch.variants !== undefined) this.#mergeVariants(patch.variants, warnings)
    if (patch.metafieldChanges.size > 0) this.#setMetafields(this.#content, patch)
  }

  #mergeVariants (sent: MergeableVariant[], warnings: Warning[]): void {
    const count = this.#countVariants()
    if (count === 0) this.#addFirst(sent, warnings)
    else if (this.#options.mode === 'REPLACE') this.#replaceAll(sent, warnings)
    else {
      const variants = this.#indexed()
      for (const patch of sent) {
        const existing = variants.get(patch.externalId)
        if (existing !== undefined) {
          this.#change(existing, patch, warnings)
          continue
        }
        variants.set(patch.externalId, this.#create(patch, warnings))
        this.#isChange = true
        this.#onChange?.(() => { variants.delete(patch.externalId) })
      }
    }
    this.#grow(listBytes('variants', this.#countVariants()) - listBytes('variants', count))
  }

  /** Most products get all of their variants at once: they need no look-up. */
  #addFirst (sent: MergeableVariant[], warnings: Warning[]): void {
    if (sent.length === 0) return
    const list = this.#variantList
    const index = this.#variants
    this.#variantList = sent.map((patch) => this.#create(patch, warnings))
    this.#variants = null
    this.#isChange = true
    this.#onChange?.(() => {
      this.#variantList = list
      this.#variants = index
    })
  }

  #replaceAll (sent: MergeableVariant[], warnings: Warning[]): void {
    const before = this.#indexed()
    const after = new Map<string, Variant>()
    for (const patch of sent) {
      const existing = before.get(patch.externalId)
      if (existing === undefined) after.set(patch.externalId, this.#create(patch, warnings))
      else {
        this.#change(existing, patch, warnings)
        after.set(patch.externalId, existing)
      }
    }
    for (const [externalId, variant] of before) if (!after.has(externalId)) this.#drop(variant)
    this.#isChange ||= !isSameOrder(before, after)
    this.#variants = after
    this.#onChange?.(() => { this.#variants = before })
  }

  #create (patch: MergeableVariant, warnings: Warning[]): Variant {
    const variant = newVariant(this.#options.productId, patch)
    if (this.#bytes !== null) this.#grow(this.#bytesOf(variant))
    this.#countTarget(variant.fitmentTargetIds.length)
    this.#linkImage(variant, patch, warnings)
    this.#setStock(variant, patch)
    return variant
  }

  #change (variant: Variant, patch: MergeableVariant, warnings: Warning[]): void {
    for (const field of plainVariantFields) this.#set(variant, field, patch[field])
    if (patch.prices !== undefined) this.#set(variant, 'prices', patch.prices.map(toPrice))
    this.#setTargets(variant, patch.fitmentTargetIds)
    this.#linkImage(variant, patch, warnings)
    this.#setStock(variant, patch)
    this.#setMetafields(variant, patch)
  }

  #drop (variant: Variant): void {
    this.#countTarget(-variant.fitmentTargetIds.length)
    if (this.#bytes !== null) this.#grow(-this.#bytesOf(variant) - fieldBytes('imageExternalId', this.#images.linkOf(variant)) - this.#stock.bytesOf(variant))
    this.#images.link(variant, null, this.#onChange)
  }

  #bytesOf (variant: Variant): number { return this.#measured.bytesOfVariant(variant, () => { this.#metafields.settleOne(variant) }) }

  /** undefined: not sent. */
  #set<Record extends object, Field extends keyof Record & string> (record: Record, field: Field, value: Record[Field] | undefined): void {
    if (value === undefined) return
    const before = record[field]
    if (sameContent(before, value)) return
    this.#isChange = true
    if (this.#bytes !== null) this.#measureSet(record, field, value)
    record[field] = value
  }

  /** Apart, as a closure costs as much as the change itself, and nearly no product is measured. */
  #measureSet<Record extends object, Field extends keyof Record & string> (record: Record, field: Field, value: Record[Field]): void {
    const before = record[field]
    this.#growRecord(record, fieldBytes(field, value) - this.#measured.bytesOfField(record, field))
    this.#undo.push(() => { record[field] = before })
  }

  #setTargets (record: { fitmentTargetIds: string[] }, ids: string[] | undefined): void {
    if (ids === undefined) return
    this.#countTarget(ids.length - record.fitmentTargetIds.length)
    this.#set(record, 'fitmentTargetIds', ids)
  }

  #countTarget (count: number): void {
    if (this.#targets === null) return
    this.#targets += count
    this.#onChange?.(() => { this.#targets = (this.#targets ?? 0) - count })
  }

  #linkImage (variant: Variant, { imageExternalId: sent, index }: MergeableVariant, warnings: Warning[]): void {
    if (sent === undefined) return
    const resolved = sent === null ? null : this.#images.resolve(sent)
    if (sent !== null && resolved === null && warnings.length < maxFaults) {
      warnings.push({ code: 'unknown-image', path: `variants[${index}].imageExternalId`, detail: clip(sent) })
    }
    const before = this.#images.linkOf(variant)
    if (before === resolved) return
    this.#isChange = true
    this.#grow(fieldBytes('imageExternalId', resolved) - fieldBytes('imageExternalId', before))
    this.#images.link(variant, resolved, this.#onChange)
  }

  #setStock (variant: Variant, { stock: sent }: MergeableVariant): void {
    if (sent === undefined) return
    const before = this.#stock.get(variant, sent.active)
    const after = before.with(sent.units)
    if (after === before) return
    this.#isChange = true
    if (this.#bytes !== null) this.#grow(after.bytes - this.#stock.bytesOf(variant))
    this.#stock.set(variant, after)
    this.#onChange?.(() => { this.#stock.set(variant, before) })
  }

  /** They apply when the line is known to: there is no way back that keeps their order. */
  #setMetafields (owner: { metafields: Metafield[] }, { metafieldChanges: changes }: Pick<MergeablePatch, 'metafieldChanges'>): void {
    if (changes.size === 0) return
    const { isChange, bytes } = this.#metafields.plan(owner, changes)
    if (!isChange) return
    this.#isChange = true
    this.#growRecord(owner, bytes)
    this.#metafieldsToCome.push(() => { this.#metafields.apply(owner, changes) })
  }

  /** null while the product is not measured: then nothing needs to be undone. */
  get #onChange (): OnChange | null { return this.#bytes === null ? null : this.#pushUndo }

  readonly #pushUndo = (undo: () => void): void => { this.#undo.push(undo) }

  #grow (bytes: number): void { if (this.#bytes !== null) this.#bytes += bytes }

  /** Of the product itself, or of a variant and with it the product. */
  #growRecord (record: object, bytes: number): void {
    if (this.#bytes === null) return
    this.#grow(bytes)
    this.#measured.grow(record, bytes)
    this.#onChange?.(() => { this.#measured.grow(record, -bytes) })
  }

  #takeBack (bytes: number): void {
    for (const undo of this.#undo.reverse()) undo()
    this.#undo = []
    this.#metafieldsToCome = []
    this.#bytes = bytes
  }

  #variant (externalId: string): Variant | undefined {
    return this.#countVariants() === 0 ? undefined : this.#indexed().get(externalId)
  }

  #indexed (): Map<string, Variant> {
    this.#variants ??= new Map(this.#variantList.map(toEntry))
    return this.#variants
  }

  #eachVariant (): Iterable<Variant> { return this.#variants?.values() ?? this.#variantList }

  #countVariants (): number { return this.#variants?.size ?? this.#variantList.length }
}

const emptyVariant: Pick<Variant, 'metafields' | 'locationQuantities'> = { metafields: [], locationQuantities: [] }
const toEntry = (variant: Variant): [externalId: string, Variant] => [variant.externalId, variant]
