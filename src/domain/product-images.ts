/**
 * The images of a product that lines are folded into: by which other ids they are known, and which variants are linked to them.
 *
 *  - Aliases of before stay as long as the image that they mean does, so that a delta naming a dropped id still resolves. When that
 *    image's id has itself become an alias, they follow it.
 *  - New images may keep a linked variant's image under another id: then its link follows. A link that resolves to none stays.
 *
 * A list of images costs its own length and that of the list that it replaces, however many aliases and variants there are: those
 * of one image are a group, which is renamed as a whole (domain/shared-ids).
 */
import type { Image, ImageAlias, Variant } from './product.js'
import { sameContent } from './same-content.js'
import { SharedIds, type Group, type OnChange } from './shared-ids.js'
import { fieldBytes, listBytes, valueBytes } from './stored-size.js'

export interface ImageSet {
  /** Each address once. */
  list: Image[]
  /** Each id once, in order. */
  aliases: ImageAlias[]
}

/** Whether anything has changed, and by how many bytes the aliases and links have grown. */
interface Change { isChange: boolean, bytes: number }

const noChange: Readonly<Change> = { isChange: false, bytes: 0 }

const emptyBytes = valueBytes({})
const aliasBytes = (target: string): number => emptyBytes + fieldBytes('imageExternalId', target)
const ownBytes = (alias: string): number => fieldBytes('externalId', alias)

/** Are looked through faster than they are indexed. */
const fewImages = 8

export class ProductImages {
  #list: Image[]
  /** As stored; null: the index is what counts. */
  #storedAliases: ImageAlias[] | null
  #ids: ReadonlySet<string> | null = null
  #aliases: Map<string, Group> | null = null
  #aliasCount: number
  readonly #aliasGroups = new SharedIds()
  /** null: each variant's own field counts. */
  #links: Map<Variant, Group> | null = null
  readonly #linkGroups = new SharedIds()

  constructor (list: Image[], aliases: ImageAlias[]) {
    this.#list = list
    this.#storedAliases = aliases
    this.#aliasCount = aliases.length
  }

  /** The image's own external id for an id or alias; null when it means no image. An image's own id wins over an alias. */
  resolve (externalId: string): string | null {
    return this.#hasImage(externalId) ? externalId : this.#targetOf(externalId)
  }

  /** `variants`: those of the product, in case that they have to be looked through for the first time. */
  replace (sent: ImageSet, variants: () => Iterable<Variant>, onChange: OnChange | null): Change {
    const { list, aliases } = sent
    if (this.#storedAliases !== null && sameContent(aliases, this.#storedAliases) && sameContent(list, this.#list)) return noChange
    if (this.#aliasCount > 0 || aliases.length > 0) return this.#replaceAliased(sent, variants, onChange)
    // Nothing is known by another id, before or after, as for nearly all products: nothing can follow.
    this.#setList(list, null, onChange)
    return noChange
  }

  #replaceAliased ({ list, aliases }: ImageSet, variants: () => Iterable<Variant>, onChange: OnChange | null): Change {
    const change: Change = { isChange: false, bytes: 0 }
    const before = this.#idsOfImages()
    this.#linkAll(variants)
    const ids = new Set(list.map(({ externalId }) => externalId))
    const targets = new Map(aliases.map(({ externalId, imageExternalId }) => [externalId, imageExternalId]))
    const gone = Array.from(before).filter((id) => !ids.has(id))
    this.#changeAliases(ids, targets, gone, change, onChange)
    this.#setList(list, ids, onChange)
    for (const id of targets.keys()) if (!ids.has(id)) this.#relink(id, change, onChange)
    for (const id of gone) if (!targets.has(id)) this.#relink(id, change, onChange)
    return change
  }

  #setList (list: Image[], ids: ReadonlySet<string> | null, onChange: OnChange | null): void {
    if (onChange !== null) this.#undoList(onChange)
    this.#list = list
    this.#ids = ids
  }

  #undoList (onChange: OnChange): void {
    const [list, ids] = [this.#list, this.#ids]
    onChange(() => {
      this.#list = list
      this.#ids = ids
    })
  }

  get aliasCount (): number { return this.#aliasCount }

  linkOf (variant: Variant): string | null {
    return this.#links === null ? variant.imageExternalId : this.#links.get(variant)?.root.id ?? null
  }

  /** Links a variant, which may be new, to an image or to none. */
  link (variant: Variant, externalId: string | null, onChange: OnChange | null): void {
    const before = variant.imageExternalId
    variant.imageExternalId = externalId
    onChange?.(() => { variant.imageExternalId = before })
    const links = this.#links
    if (links === null) return
    const group = links.get(variant)
    if (group !== undefined) this.#linkGroups.leave(group, 0, onChange)
    if (externalId === null) links.delete(variant)
    else links.set(variant, this.#linkGroups.join(externalId, 0, onChange))
    onChange?.(() => {
      if (group === undefined) links.delete(variant)
      else links.set(variant, group)
    })
  }

  /** Writes the links back to the variants. Gives the aliases, in order. */
  settle (): ImageAlias[] {
    if (this.#links !== null) for (const [variant, group] of this.#links) variant.imageExternalId = group.root.id
    if (this.#storedAliases !== null) return this.#storedAliases
    const aliases: ImageAlias[] = []
    for (const [externalId, { root: { id } }] of this.#indexedAliases()) if (id !== null) aliases.push({ externalId, imageExternalId: id })
    return aliases.sort((a, b) => a.externalId < b.externalId ? -1 : 1)
  }

  #changeAliases (ids: ReadonlySet<string>, targets: ReadonlyMap<string, string>, gone: string[], change: Change, onChange: OnChange | null): void {
    const countBefore = this.#aliasCount
    this.#indexedAliases()
    // All are taken before any is given another id, or two renamings could follow each other.
    const following: Array<[group: Group, from: string, to: string]> = []
    for (const [from, to] of targets) {
      const group = this.#aliasGroups.detach(from, onChange)
      if (group !== undefined) following.push([group, from, to])
    }
    for (const id of gone) {
      const group = this.#aliasGroups.detach(id, onChange)
      if (group !== undefined) this.#countAliases(-group.count, -group.weight - group.count * aliasBytes(id), change, onChange)
    }
    for (const [group, from, to] of following) {
      change.bytes += group.count * (aliasBytes(to) - aliasBytes(from))
      change.isChange ||= group.count > 0
      this.#aliasGroups.rename(group, to, onChange)
    }
    for (const id of ids) if (!targets.has(id)) this.#forget(id, change, onChange)
    for (const [id, to] of targets) this.#remember(id, to, change, onChange)
    change.bytes += listBytes('imageAliases', this.#aliasCount) - listBytes('imageAliases', countBefore)
    if (!change.isChange) return
    const stored = this.#storedAliases
    this.#storedAliases = null
    onChange?.(() => { this.#storedAliases = stored })
  }

  #remember (id: string, to: string, change: Change, onChange: OnChange | null): void {
    if (this.#targetOf(id) === to) return
    this.#forget(id, change, onChange)
    const aliases = this.#indexedAliases()
    // Of an image that is gone.
    const lost = aliases.get(id)
    aliases.set(id, this.#aliasGroups.join(to, ownBytes(id), onChange))
    onChange?.(() => {
      if (lost === undefined) aliases.delete(id)
      else aliases.set(id, lost)
    })
    this.#countAliases(1, ownBytes(id) + aliasBytes(to), change, onChange)
  }

  #forget (id: string, change: Change, onChange: OnChange | null): void {
    const aliases = this.#indexedAliases()
    const group = aliases.get(id)
    const target = group?.root.id ?? null
    if (group === undefined || target === null) return
    aliases.delete(id)
    onChange?.(() => { aliases.set(id, group) })
    this.#aliasGroups.leave(group, ownBytes(id), onChange)
    this.#countAliases(-1, -ownBytes(id) - aliasBytes(target), change, onChange)
  }

  #countAliases (count: number, bytes: number, change: Change, onChange: OnChange | null): void {
    this.#aliasCount += count
    onChange?.(() => { this.#aliasCount -= count })
    change.bytes += bytes
    change.isChange ||= count !== 0
  }

  /** An id that is no image's own any more: what is linked by it follows to the image that it is an alias of. */
  #relink (id: string, change: Change, onChange: OnChange | null): void {
    const target = this.#targetOf(id)
    if (target === null) return
    const group = this.#linkGroups.detach(id, onChange)
    if (group === undefined) return
    change.bytes += group.count * (fieldBytes('imageExternalId', target) - fieldBytes('imageExternalId', id))
    change.isChange ||= group.count > 0
    this.#linkGroups.rename(group, target, onChange)
  }

  #targetOf (alias: string): string | null { return this.#aliasCount === 0 ? null : this.#indexedAliases().get(alias)?.root.id ?? null }

  #hasImage (externalId: string): boolean {
    if (this.#ids === null && this.#list.length <= fewImages) return this.#list.some((image) => image.externalId === externalId)
    return this.#idsOfImages().has(externalId)
  }

  #idsOfImages (): ReadonlySet<string> {
    this.#ids ??= new Set(this.#list.map(({ externalId }) => externalId))
    return this.#ids
  }

  #indexedAliases (): Map<string, Group> {
    this.#aliases ??= new Map(this.#storedAliases?.map(({ externalId, imageExternalId }) =>
      [externalId, this.#aliasGroups.join(imageExternalId, ownBytes(externalId), null)]))
    return this.#aliases
  }

  #linkAll (variants: () => Iterable<Variant>): void {
    if (this.#links !== null) return
    this.#links = new Map()
    for (const variant of variants()) {
      if (variant.imageExternalId !== null) this.#links.set(variant, this.#linkGroups.join(variant.imageExternalId, 0, null))
    }
  }
}
