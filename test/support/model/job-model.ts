/** A job as the model knows it: its lines, and how far each product is through them. */
import type { QueuedJob } from '../../../src/domain/lane.js'
import type { ImportRequest } from '../../../src/domain/import-job.js'
import type { Fields } from './memory-collection.js'
import type { Actor } from './virtual-time.js'
import { applied, isBad, isSame, isWhole, type PlainProduct } from './plain-product.js'

export interface ModelLine {
  text: string
  /** null: it cannot be read. */
  fields: Fields | null
  /** Which product it names, read or salvaged; null: nobody can tell. */
  names: string | null
}

interface Placed extends ModelLine { mark: string }

/**
 * Of a product's lines in the job, those before `written` are in it. Those up to `passed` left it as it was, when it was last looked at, or were
 * found bad: whoever settled them need not have written anything.
 */
interface Progress { written: number, passed: number }

/** What others have done to a product since the job began: certainly after it, or at about the same time. */
export type Outside = 'after' | 'about'

export class JobModel {
  readonly jobId: string
  readonly request: ImportRequest
  readonly lines: Placed[]
  /** Places of lines that are found bad, as `file:line`. */
  readonly issues = new Set<string>()
  /**
   * The same of a worker that is not the job's any more: it looked when a product was not there yet, which its successor found. Nothing holds up an
   * issue on its way when the other began, as a revision does a product; so such a line may have been taken for good nevertheless.
   */
  readonly hearsay = new Set<string>()
  /** Until its end: what is on its way when a job is given up may arrive after its counts. So are those of `archived`. */
  readonly created = new Set<string>()
  readonly archived = new Set<string>()
  /** Of the created those that others have written since. Where a bulk was refused in part, by that it cannot be told any more whether this job has inserted them, but by their marks. */
  readonly overtaken = new Set<string>()
  readonly outside = new Map<string, Outside>()
  /** By external id, when it was begun for the first time: whether it was live. */
  atStart: Map<string, boolean> | null = null
  isOver = false
  /** Who has begun it last. */
  #worker: Actor | null = null
  /** By worker, when another one began it, or ended it. */
  readonly #lostAtMs = new Map<Actor, number>()
  readonly #byProduct = new Map<string, Placed[]>()
  readonly #progress = new Map<string, Progress>()

  constructor ({ jobId, request }: QueuedJob, files: ReadonlyMap<string, ModelLine[]>) {
    this.jobId = jobId
    this.request = request
    this.lines = request.files.flatMap((name, file) => (files.get(name) ?? []).map((line, index) => ({ ...line, mark: `${file}:${index + 1}` })))
    for (const line of this.lines) {
      if (line.names === null) continue
      const lines = this.#byProduct.get(line.names)
      if (lines === undefined) this.#byProduct.set(line.names, [line])
      else lines.push(line)
    }
  }

  beginBy (worker: Actor, nowMs: number): void {
    if (this.#worker !== null && this.#worker !== worker && !this.#lostAtMs.has(this.#worker)) this.#lostAtMs.set(this.#worker, nowMs)
    this.#lostAtMs.delete(worker)
    this.#worker = worker
  }

  endBy (worker: Actor, nowMs: number): void {
    this.isOver = true
    this.beginBy(worker, nowMs)
    this.#lostAtMs.set(worker, nowMs)
  }

  /** What was on its way when another began may still arrive; its fence was asked before, and others' changes are safe by their revisions. */
  mayWrite (worker: Actor): boolean { return worker.fencedAtMs <= (this.#lostAtMs.get(worker) ?? Infinity) }

  get products (): Iterable<string> { return this.#byProduct.keys() }
  names (externalId: string): boolean { return this.#byProduct.has(externalId) }
  get untold (): number { return this.lines.filter(({ names }) => names === null).length }

  /** Whoever judges it. */
  isAlwaysBad (mark: string): boolean { return this.lines.some((line) => line.mark === mark && this.isBad(line)) }

  /** Whether the line may be called bad: where its product is not there, and no line before makes it. */
  mayBeBad (mark: string): boolean {
    const line = this.lines.find((one) => one.mark === mark)
    if (line === undefined) return false
    if (this.isBad(line)) return true
    if (line.fields === null || line.names === null || isWhole(line.fields) || this.atStart?.has(line.names) === true) return false
    const before = this.#linesOf(line.names).slice(0, this.#linesOf(line.names).indexOf(line))
    return before.every((one) => this.isBad(one) || !isWhole(one.fields ?? {}))
  }

  readonly isBad = ({ fields }: ModelLine): boolean => isBad(fields, this.request.mode)

  /** The product is as it says, for now: passes what changes nothing of it. */
  look (externalId: string, product: PlainProduct | null, removed: ReadonlySet<string>): Progress {
    const lines = this.#linesOf(externalId)
    const progress = this.#progress.get(externalId) ?? { written: 0, passed: 0 }
    this.#progress.set(externalId, progress)
    for (; progress.passed < lines.length; progress.passed++) {
      const line = lines[progress.passed] as Placed
      const { fields } = line
      if (this.#isLeftOut(line) || this.hearsay.has(line.mark)) continue
      const next = fields === null ? null : applied(product, fields, this.request.mode)
      if (next === null || product === null || !isSame(product, next, removed)) break
    }
    return progress
  }

  /** Of the product, all lines have been settled. */
  isThrough (externalId: string, product: PlainProduct | null, removed: ReadonlySet<string>): boolean {
    return this.look(externalId, product, removed).passed === this.#linesOf(externalId).length
  }

  /** The job wrote the product, up to the line with that mark. Gives what is wrong with it; null: nothing. */
  write (externalId: string, mark: string, before: PlainProduct | null, after: PlainProduct, removed: ReadonlySet<string>): string | null {
    const lines = this.#linesOf(externalId)
    const last = lines.findIndex((line) => line.mark === mark)
    const progress = this.look(externalId, before, removed)
    if (last < progress.written) return `applies line ${mark} to ${externalId} again`
    for (let first = progress.written; first <= Math.min(progress.passed, last); first++) {
      const some = lines.slice(first, last + 1)
      const wanted = [this.#fold(before, some), this.#fold(before, some.filter((line) => !this.hearsay.has(line.mark)))]
      if (!wanted.some((one) => one !== null && isSame(after, one, removed))) continue
      progress.written = last + 1
      progress.passed = Math.max(progress.passed, last + 1)
      return null
    }
    return `writes ${externalId} up to line ${mark} as ${JSON.stringify(after)} over ${JSON.stringify(before)}`
  }

  #fold (product: PlainProduct | null, lines: Placed[]): PlainProduct | null {
    let folded = product
    for (const line of lines) {
      const { fields } = line
      if (this.#isLeftOut(line)) continue
      folded = fields === null ? null : applied(folded, fields, this.request.mode)
      if (folded === null) return null
    }
    return folded
  }

  readonly #isLeftOut = (line: Placed): boolean => this.isBad(line) || this.issues.has(line.mark)

  #linesOf (externalId: string): Placed[] { return this.#byProduct.get(externalId) ?? [] }
}
