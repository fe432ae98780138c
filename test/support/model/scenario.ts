/** What a seed makes happen to one vendor: its files and jobs, who else changes its products, and what goes wrong. */
import type { Random } from '../../../src/cli/sample-random.js'
import type { ImportMode, ImportRequest } from '../../../src/domain/import-job.js'
import { line, product } from '../product-lines.js'
import type { ModelLine } from './job-model.js'
import type { Fields } from './memory-collection.js'
import type { Away } from './remote-collections.js'

/** Of workers, one by its place; or the one that runs the vendor's job just then. */
export type Whom = number | 'runner'

/** Of a process, in the middle of what it does. */
export interface HoldUp { heldAfterMs: number, heldForMs: number }

export type Happening =
  | { what: 'job', request: ImportRequest }
  | { what: 'cancel', job: number }
  | { what: 'upsert', record: Fields, heldUp: HoldUp }
  | { what: 'remove target', externalId: 'T1' | 'T2' }
  /** Also one too many, or for nothing. */
  | { what: 'hint', worker: Whom }
  | { what: 'crash', worker: Whom, backInMs: number }
  /** Nothing of it goes on meanwhile: it may be taken for dead, and may be late to hear of it afterwards. */
  | { what: 'hold', worker: Whom, forMs: number, deafForMs: number }
  | { what: 'shut down', worker: Whom }

/** When the clock says so, or with that one of the workers' calls about products: nothing but that comes between a read and a write on purpose. */
export type Timed = Happening & ({ atMs: number } | { atCall: number })

export interface Scenario {
  files: Map<string, ModelLine[]>
  happenings: Timed[]
  /** Of each worker's wall clock, and of the API's. */
  skewsMs: number[]
  maxBatchRecords: number
  away: Away[]
  lossShare: number
}

/** Within which something happens. */
const spanMs = 2_000
const spanCalls = 50
const productCount = 6
const unreadable: ModelLine = { text: 'no line', fields: null, names: null }

export function scenarioOf (random: Random): Scenario {
  const { integer, chance, pick } = random
  const externalId = (): string => `P${integer(0, productCount - 1)}`
  const some = <T>(most: number, make: () => T): T[] => Array.from({ length: integer(0, most) }, make)

  const fields = (): Fields => ({
    ...chance(0.4) ? { description: pick(['one', 'two', null]) } : {},
    ...chance(0.3) ? { tags: pick([['a'], ['b'], []]) } : {},
    ...chance(0.1) ? { archived: pick([true, false]) } : {},
    ...chance(0.2) ? { fitmentTargetExternalIds: pick<string[]>([['T1'], ['T1', 'T2'], ['nowhere'], []]) } : {}
  })
  function whole (): Fields {
    const id = externalId()
    return product(id, { name: `${id} ${integer(1, 3)}`, ...fields() })
  }
  function modelLine (earlier: ModelLine[]): ModelLine {
    const id = externalId()
    const readable = (fields: Fields): ModelLine => ({ text: JSON.stringify(fields), fields, names: fields['externalId'] as string })
    if (earlier.length > 0 && chance(0.3)) return pick(earlier as [ModelLine, ...ModelLine[]])
    if (chance(0.2)) return readable({ externalId: id, ...fields() })
    if (chance(0.06)) return readable(product(id, { tags: 'no list' }))
    if (chance(0.04)) return { text: line(id).slice(0, -1), fields: null, names: id }
    if (chance(0.01)) return unreadable
    return readable(whole())
  }

  const files = new Map<string, ModelLine[]>()
  function file (): string {
    const name = `${files.size}.jsonl`
    const earlier = [...files.values()].flat()
    // The first is the largest, so that there is something to be archived.
    if (chance(0.03)) files.set(name, [unreadable])
    else files.set(name, Array.from({ length: files.size === 0 ? integer(6, 12) : integer(1, 6) }, () => modelLine(earlier)))
    return name
  }
  const request = (): ImportRequest => ({
    files: Array.from({ length: chance(0.3) ? 2 : 1 }, file),
    mode: files.size < 2 ? 'UPDATE' : pick<ImportMode>(['UPDATE', 'REPLACE', 'REPLACE']),
    dryRun: false,
    maxArchivePercent: null,
    ...chance(0.5) ? { archiveDespiteUnreadable: true } : {}
  })

  const workerCount = integer(2, 3)
  const worker = (): Whom => chance(0.7) ? 'runner' : integer(0, workerCount - 1)
  const jobCount = integer(1, 4)
  const happenings: Array<Happening & { atCall?: number }> = [
    ...Array.from({ length: jobCount }, (): Happening => ({ what: 'job', request: request() })),
    ...some(chance(0.1) ? 30 : 5, (): Happening => ({
      what: 'upsert',
      record: chance(0.8) ? whole() : { externalId: externalId(), ...fields() },
      heldUp: { heldAfterMs: integer(0, 40), heldForMs: chance(0.3) ? integer(0, 800) : 0 }
    })),
    ...some(3, (): Happening => ({ what: 'hint', worker: worker() })),
    ...chance(0.3) ? [{ what: 'cancel', job: integer(0, jobCount - 1) } as const] : [],
    ...chance(0.4) ? [{ what: 'remove target', externalId: pick<'T1' | 'T2'>(['T1', 'T2']) } as const] : [],
    ...some(2, (): Happening => pick<Happening>([
      { what: 'crash', worker: worker(), backInMs: integer(0, 500) },
      { what: 'hold', worker: worker(), forMs: integer(200, 2_000), deafForMs: 0 },
      { what: 'hold', worker: 'runner', forMs: integer(1_000, 2_500), deafForMs: integer(0, 400) },
      { what: 'shut down', worker: worker() }
    ]))
  ]
  // A job that is the death of whoever runs it.
  if (chance(0.08)) {
    const firstCall = integer(5, 20)
    for (let death = 0; death < 4; death++) happenings.push({ what: 'crash', worker: 'runner', backInMs: integer(0, 500), atCall: firstCall + 6 * death })
  }
  const away = some(1, (): Away => {
    const fromMs = integer(0, spanMs)
    return { fromMs, toMs: fromMs + integer(10, 800) }
  })
  return {
    files,
    happenings: happenings.map((happening): Timed => {
      if (happening.atCall !== undefined) return { ...happening, atCall: happening.atCall }
      if (happening.what === 'job') return { ...happening, atMs: integer(0, spanMs / 4) }
      return { ...happening, ...chance(0.3) ? { atMs: integer(0, spanMs) } : { atCall: integer(1, spanCalls) } }
    }),
    skewsMs: Array.from({ length: workerCount + 1 }, () => chance(0.5) ? 0 : integer(-5_000, 5_000)),
    maxBatchRecords: pick([1, 2, 3, 500]),
    away,
    lossShare: pick([0, 0, 0.01, 0.05])
  }
}
