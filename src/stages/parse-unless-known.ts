/**
 * Parses lines, except for those that are word for word what gave their product its content: they say nothing new. Most lines
 * of a catalog that is sent as a whole every night are such, and cost half as much this way.
 *
 * Which product a line is about is guessed from its text. A wrong guess does no harm: the digest that the product is compared by is
 * of the text of a line that was parsed and merged into it, so a line with that digest is that line.
 *
 * Lines of one product apply in order. So a product is not asked for while earlier lines of it are on their way to the
 * database (what it holds is not what it will hold when this line's turn comes), and a line that turns out to have company in its own batch
 * is parsed after all.
 */
import type { PendingProducts } from '../domain/pending-products.js'
import type { Batch, Envelope } from '../engine/envelope.js'
import type { Stage } from '../engine/stage.js'
import type { Turn } from '../engine/turn.js'
import { parse, parseLine } from './parse.js'

export interface KnownLines {
  /** Of these lines, by external id, those that their products know. Without links, which may mean something else by now. */
  unchangedAmong (lines: ReadonlyMap<string, string>): Promise<Set<string>>
  /** This stage adds the lines that it lets pass; who has made them durable takes them out. */
  pending: PendingProducts
}

/** Where less than half of a batch is known, as in a first load or a delta, asking costs more than it saves for a while. */
const batchesUnasked = 8

interface Guess { externalId: string, envelope: Envelope<unknown>, text: string }

export function parseUnlessKnown ({ unchangedAmong, pending }: KnownLines): Stage<string, Record<string, unknown>> {
  let unasked = 0

  return (batch, turn) => {
    if (unasked > 0) {
      unasked -= 1
      return pass(batch, [], turn)
    }
    const guesses = guessProducts(batch)
    if (guesses.length === 0) return pass(batch, [], turn)
    return unchangedAmong(textsOf(guesses)).then((unchanged) => {
      if (unchanged.size * 2 < batch.length) unasked = batchesUnasked
      return pass(batch, guessesIn(guesses, unchanged), turn)
    })
  }

  function pass (batch: Batch<string>, known: Guess[], turn: Turn | undefined): ReturnType<Stage<string, Record<string, unknown>>> {
    for (const { envelope, externalId } of known) Object.assign(envelope, { value: null, externalId, unchanged: true })
    const parsed = parse(batch, turn)
    return parsed instanceof Promise ? parsed.then((result) => sort(result, known)) : sort(parsed, known)
  }

  function sort (parsed: Batch<Record<string, unknown>>, known: Guess[]): Batch<Record<string, unknown>> {
    const others = new Set(known.length === 0 ? [] : changingProducts(parsed))
    for (const { envelope, externalId, text } of known) {
      if (!others.has(externalId)) continue
      Object.assign(envelope, { unchanged: false, value: parseLine(text, envelope) })
    }
    pending.add(changingProducts(parsed))
    return parsed
  }

  function guessProducts (batch: Batch<string>): Guess[] {
    const guesses = new Map<string, Guess>()
    const several = new Set<string>()
    for (const envelope of batch) {
      const { value: text } = envelope
      const externalId = text === null ? null : guessExternalId(text)
      if (text === null || externalId === null || pending.has(externalId)) continue
      if (guesses.has(externalId)) several.add(externalId)
      guesses.set(externalId, { externalId, envelope, text })
    }
    for (const externalId of several) guesses.delete(externalId)
    return [...guesses.values()]
  }
}

/** By external id. */
function textsOf (guesses: readonly Guess[]): Map<string, string> {
  const texts = new Map<string, string>()
  for (const { externalId, text } of guesses) texts.set(externalId, text)
  return texts
}

function guessesIn (guesses: readonly Guess[], externalIds: ReadonlySet<string>): Guess[] {
  const those: Guess[] = []
  for (const guess of guesses) if (externalIds.has(guess.externalId)) those.push(guess)
  return those
}

/** The external ids of the lines that may change something, one for each line. */
export function changingProducts (batch: Batch<unknown>): string[] {
  const externalIds: string[] = []
  for (const { externalId, unchanged } of batch) if (!unchanged && externalId !== null) externalIds.push(externalId)
  return externalIds
}

/** The first field of that name, which may be a variant's; without escapes, which nobody needs in an id. */
const guessExternalId = (text: string): string | null => /"externalId"\s*:\s*"([^"\\]{1,255})"/.exec(text)?.[1] ?? null
