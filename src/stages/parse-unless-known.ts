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
import { parse } from './parse.js'

export interface KnownLines {
  /** Of these lines, by external id, those that their products know. Without links, which may mean something else by now. */
  unchangedAmong (lines: ReadonlyMap<string, string>): Promise<Set<string>>
  /** This stage adds the lines that it lets pass; who has made them durable takes them out. */
  pending: PendingProducts
}

/** Where less than half of a batch is known, as in a first load or a delta, asking costs more than it saves for a while. */
const batchesUnasked = 8

export function parseUnlessKnown ({ unchangedAmong, pending }: KnownLines): Stage<string, Record<string, unknown>> {
  let unasked = 0

  return (batch) => {
    const guessed = unasked > 0 ? new Map<string, Envelope<string>>() : guessProducts(batch)
    unasked = Math.max(0, unasked - 1)
    if (guessed.size === 0) return parseAll(batch)
    return unchangedAmong(textsOf(guessed)).then((unchanged) => {
      if (unchanged.size * 2 < batch.length) unasked = batchesUnasked
      return parseAll(batch, guessed, unchanged)
    })
  }

  function parseAll (batch: Batch<string>, guessed?: Map<string, Envelope<string>>, unchanged = new Set<string>()): Batch<Record<string, unknown>> {
    const texts = new Map<Envelope<string>, string>()
    for (const externalId of unchanged) {
      const envelope = guessed?.get(externalId)
      if (envelope === undefined || envelope.value === null) continue
      texts.set(envelope, envelope.value)
      Object.assign(envelope, { value: null, externalId, unchanged: true })
    }
    const parsed = parse(batch)
    const company = parsed.filter(({ externalId, unchanged: isUnchanged }) => !isUnchanged && externalId !== null && unchanged.has(externalId))
    for (const { externalId } of company) {
      const envelope = guessed?.get(externalId ?? '')
      if (envelope?.unchanged !== true) continue
      Object.assign(envelope, { value: texts.get(envelope), unchanged: false })
      parse([envelope])
    }
    pending.add(changingProducts(parsed))
    return parsed
  }

  function guessProducts (batch: Batch<string>): Map<string, Envelope<string>> {
    const guessed = new Map<string, Envelope<string>>()
    const several = new Set<string>()
    for (const envelope of batch) {
      const externalId = envelope.value === null ? null : guessExternalId(envelope.value)
      if (externalId === null || pending.has(externalId)) continue
      if (guessed.has(externalId)) several.add(externalId)
      else guessed.set(externalId, envelope)
    }
    for (const externalId of several) guessed.delete(externalId)
    return guessed
  }
}

/** The external ids of the lines that may change something, one for each line. */
export const changingProducts = (batch: Batch<unknown>): string[] =>
  batch.flatMap(({ externalId, unchanged }) => unchanged || externalId === null ? [] : [externalId])

const textsOf = (guessed: Map<string, Envelope<string>>): Map<string, string> =>
  new Map(Array.from(guessed, ([externalId, { value }]) => [externalId, value ?? '']))

/** The first field of that name, which may be a variant's; without escapes, which nobody needs in an id. */
const guessExternalId = (text: string): string | null => /"externalId"\s*:\s*"([^"\\]{1,255})"/.exec(text)?.[1] ?? null
