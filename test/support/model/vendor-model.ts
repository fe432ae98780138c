/**
 * What must hold of a vendor's jobs and products, looked at with every change that the database makes. The changes themselves say in which order
 * things have happened; the model says what each of them may be.
 */
import type { ImportStats } from '../../../src/domain/import-job.js'
import type { Lane } from '../../../src/domain/lane.js'
import { positionIn } from '../../../src/domain/product.js'
import { JobModel, type ModelLine } from './job-model.js'
import type { Fields, Stored } from './memory-collection.js'
import { applied, isSame, plain, type PlainProduct } from './plain-product.js'
import type { Actor } from './virtual-time.js'

/** What an actor that is no worker is about, and which job ran when it began. */
export interface Errand { record?: Fields, removes?: string, during: string | null }

export class VendorModel {
  readonly jobs: JobModel[] = []
  readonly removed = new Set<string>()
  readonly #products = new Map<string, PlainProduct>()
  readonly #files: ReadonlyMap<string, ModelLine[]>
  readonly #errands: ReadonlyMap<Actor, Errand>
  readonly #fail: (what: string) => void
  runningJobId: string | null = null
  /** The worker that holds the lane. */
  owner: string | null = null

  constructor (files: ReadonlyMap<string, ModelLine[]>, errands: ReadonlyMap<Actor, Errand>, fail: (what: string) => void) {
    this.#files = files
    this.#errands = errands
    this.#fail = fail
  }

  laneChanged (after: Stored): void {
    const { queue, running } = after as unknown as Lane
    for (const job of queue) if (!this.jobs.some(({ jobId }) => jobId === job.jobId)) this.jobs.push(new JobModel(job, this.#files))
    this.owner = running?.owner ?? null
    const now = running?.job.jobId ?? null
    if (now === this.runningJobId) return
    const before = this.jobs.find(({ jobId }) => jobId === this.runningJobId)
    if (before?.isOver === false) this.#fail(`job ${before.jobId} gives the lane away before its end`)
    this.runningJobId = now
  }

  jobChanged (before: Stored | null, after: Stored, actor: Actor, nowMs: number): void {
    const job = this.#job(after._id)
    if (job === undefined) return
    const [was, is] = [before?.['status'] ?? 'queued', after['status']] as string[]
    if (job.isOver && was !== is) this.#fail(`job ${job.jobId} was ${was} and is ${is}`)
    if (before !== null && after['runs'] !== before['runs']) job.beginBy(actor, nowMs)
    if (is === 'processing' && job.atStart === null) {
      const earlier = this.jobs.slice(0, this.jobs.indexOf(job)).find(({ isOver }) => !isOver)
      if (earlier !== undefined) this.#fail(`job ${job.jobId} begins before ${earlier.jobId} is over`)
      job.atStart = new Map(Array.from(this.#products, ([externalId, { archived }]) => [externalId, !archived]))
    }
    if (job.isOver || (is !== 'completed' && is !== 'failed')) return
    job.endBy(actor, nowMs)
    if (is === 'completed') this.#checkCompleted(job, after['stats'] as ImportStats)
  }

  issueAdded ({ _id, jobId, line }: Stored, actor: Actor): void {
    const job = this.#job(jobId as string)
    const [, severity, file] = _id.split(':')
    if (job === undefined || severity !== 'E' || line === null) return
    const mark = `${Number(file) - 1}:${Number(line)}`
    if (!job.mayBeBad(mark)) this.#fail(`job ${job.jobId} calls line ${mark} bad`)
    if (this.owner === actor.name) job.issues.add(mark)
    else if (job.isAlwaysBad(mark) || job.mayWrite(actor)) job.hearsay.add(mark)
    else this.#fail(`${actor.name} calls line ${mark} of job ${job.jobId} bad, which is not its own any more`)
  }

  productChanged (before: Stored | null, after: Stored, actor: Actor): void {
    const externalId = after['externalId'] as string
    const [was, is] = [this.#products.get(externalId) ?? null, plain(after)]
    const errand = this.#errands.get(actor)
    const wrong = errand === undefined ? this.#writtenByWorker(externalId, was, is, before, after, actor) : this.#writtenByErrand(externalId, was, is, errand)
    if (wrong !== null) this.#fail(wrong)
    this.#products.set(externalId, is)
  }

  #writtenByErrand (externalId: string, was: PlainProduct | null, is: PlainProduct, { record, removes, during }: Errand): string | null {
    const running = this.#job(this.runningJobId)
    if (running !== undefined && running.atStart !== null) running.look(externalId, was, this.removed)
    if (removes !== undefined) {
      const wanted = was === null ? null : { ...was, targets: was.targets.filter((id) => id !== removes) }
      return wanted !== null && isSame(is, wanted, new Set()) ? null : `removing ${removes} makes ${JSON.stringify(is)} of ${JSON.stringify(was)}`
    }
    if (running !== undefined) {
      if (running.created.has(externalId)) running.overtaken.add(externalId)
      const isAfter = running.jobId === during
      if (isAfter || running.outside.get(externalId) !== 'after') running.outside.set(externalId, isAfter ? 'after' : 'about')
    }
    const wanted = applied(was, record ?? {}, 'UPDATE')
    return record?.['externalId'] === externalId && wanted !== null && isSame(is, wanted, this.removed) ? null : `an upsert makes ${JSON.stringify(is)} of ${JSON.stringify(was)}`
  }

  #writtenByWorker (externalId: string, was: PlainProduct | null, is: PlainProduct, before: Stored | null, after: Stored, actor: Actor): string | null {
    const isArchiving = before !== null && after['writeId'] === before['writeId']
    const owner = isArchiving ? after['archivedByJobId'] : String(after['writtenBy']).split(':')[0]
    const job = this.#job(owner as string)
    if (job === undefined) return `nobody knows who writes ${externalId}`
    if (job.atStart === null) return `job ${job.jobId} writes ${externalId} before it begins`
    if (!job.mayWrite(actor)) return `${actor.name} writes ${externalId} for job ${job.jobId}, which is not its own any more`
    this.#comesLate(job, externalId, was, isArchiving)
    if (isArchiving) return this.#archives(job, externalId, was, is)
    const { file, line } = positionIn(job.jobId, after['writtenBy'] as string) ?? { file: -1, line: -1 }
    if (was === null && !job.isOver) job.created.add(externalId)
    return job.write(externalId, `${file}:${line}`, was, is, this.removed)
  }

  /** What was on its way when the next job began is to that one as what others write: it may have seen it, or not. */
  #comesLate (job: JobModel, externalId: string, was: PlainProduct | null, isArchiving: boolean): void {
    const running = this.#job(this.runningJobId)
    if (running === undefined || running === job || running.atStart === null) return
    running.look(externalId, was, this.removed)
    if (!isArchiving && running.outside.get(externalId) !== 'after') running.outside.set(externalId, 'about')
  }

  #archives (job: JobModel, externalId: string, was: PlainProduct | null, is: PlainProduct): string | null {
    const what = `job ${job.jobId} archives ${externalId}`
    if (!job.isOver) job.archived.add(externalId)
    if (was === null || !isSame(is, { ...was, archived: true }, new Set())) return `${what} as ${JSON.stringify(is)} from ${JSON.stringify(was)}`
    if (job.names(externalId)) return `${what}, which it names`
    if (job.outside.get(externalId) === 'after') return `${what}, which others have written since`
    return job.atStart?.get(externalId) === true || job.outside.has(externalId) ? null : `${what}, which was not live when it began`
  }

  #checkCompleted (job: JobModel, stats: ImportStats): void {
    for (const externalId of job.products) {
      if (!job.isThrough(externalId, this.#products.get(externalId) ?? null, this.removed)) this.#fail(`job ${job.jobId} completes without all lines of ${externalId}`)
    }
    for (const line of job.lines) {
      if (job.isBad(line) && !job.issues.has(line.mark) && !job.hearsay.has(line.mark)) this.#fail(`job ${job.jobId} completes without an issue for line ${line.mark}`)
    }
    const counted = (skipped: number): string => JSON.stringify({
      productsProcessed: job.lines.length,
      productsCreated: job.created.size,
      productsUpdated: job.lines.length - job.created.size - skipped,
      productsArchived: job.archived.size,
      productsSkipped: skipped,
      errors: skipped
    } satisfies ImportStats)
    const wanted = Array.from({ length: job.hearsay.size + 1 }, (_, more) => counted(job.issues.size + more))
    if (!wanted.includes(JSON.stringify(stats))) this.#fail(`job ${job.jobId} counts ${JSON.stringify(stats)} in place of ${wanted.join(' or ')}`)
    if (job.request.mode === 'REPLACE') this.#checkArchived(job)
  }

  #checkArchived (job: JobModel): void {
    if (job.untold > 0 && job.request.archiveDespiteUnreadable !== true) {
      if (job.archived.size > 0) this.#fail(`job ${job.jobId} archives although it cannot be told what it names`)
      return
    }
    for (const [externalId, wasLive] of job.atStart ?? []) {
      // A write of the job before that was on its way when its worker was lost may have archived it first.
      const isLive = this.#products.get(externalId)?.archived !== true
      if (wasLive && isLive && !job.names(externalId) && !job.outside.has(externalId) && !job.archived.has(externalId)) {
        this.#fail(`job ${job.jobId} leaves ${externalId}, which is absent`)
      }
    }
  }

  #job (jobId: string | null): JobModel | undefined { return this.jobs.find((job) => job.jobId === jobId) }
}
