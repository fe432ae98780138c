/** Counts in a document that the first time makes. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Collection, Document } from 'mongodb'
import { unavailable } from '../../errors.js'
import { isDuplicateKey } from './database-errors.js'
import { pauseBefore } from './lost-race-pause.js'

type Counter<Field extends string> = { _id: string } & Record<Field, number>

/** Each has lost against another that counted. */
const maxRounds = 100

export async function countUp<T extends Counter<'changes'>> (collection: Collection<T>, id: string): Promise<void> {
  const up = async (): Promise<void> => { await anyOf(collection).updateOne({ _id: id }, { $inc: { changes: 1 } }, { upsert: true }) }
  try {
    await up()
  } catch (error) {
    // Another has made the document in the same moment; now it is there.
    if (!isDuplicateKey(error)) throw error
    await up()
  }
}

/** Gives what it is then, which nobody else is given. By compare-and-set, as no command here finds and changes at once (operation-time). */
export async function countUpBy<Field extends string> (collection: Collection<Counter<Field>>, id: string, field: Field, by: number): Promise<number> {
  const counters = anyOf(collection)
  for (let round = 0; round < maxRounds; round++) {
    const pauseMs = pauseBefore(round)
    if (pauseMs > 0) await delay(pauseMs)
    const before = (await counters.findOne({ _id: id }))?.[field] as number | undefined
    if (before === undefined) {
      if (await isMade(counters, { _id: id, [field]: by })) return by
    } else {
      const { matchedCount } = await counters.updateOne({ _id: id, [field]: before }, { $inc: { [field]: by } })
      if (matchedCount === 1) return before + by
    }
  }
  throw unavailable(`The counter ${id} is too busy`)
}

/** The driver's types cannot say of a field that is given that it is a number. */
type AnyCounter = Document & { _id: string }

const anyOf = (collection: unknown): Collection<AnyCounter> => collection as Collection<AnyCounter>

/** false: another has made it. */
async function isMade (counters: Collection<AnyCounter>, counter: AnyCounter): Promise<boolean> {
  try {
    await counters.insertOne(counter)
    return true
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
    return false
  }
}
