/**
 * The stage contract (see engine/envelope for the obligations). A stage takes a batch and gives back the same envelopes
 * in the same order with new values. Synchronous stages stay synchronous: an await per stage and batch is affordable,
 * one per record is not (15 to 30 % of the throughput). What a stage does between two looks at its turn is proportional to one record, or a few small ones.
 */
import type { Batch, Envelope } from './envelope.js'
import type { Turn } from './turn.js'

/** Without a turn it does not give way. */
export type Stage<In, Out> = (batch: Batch<In>, turn?: Turn) => Batch<Out> | Promise<Batch<Out>>

/** One that does no I/O: synchronous where it has no turn to give way in. */
export interface RecordStage<In, Out> {
  (batch: Batch<In>): Batch<Out>
  (batch: Batch<In>, turn: Turn | undefined): Batch<Out> | Promise<Batch<Out>>
}

/** Characters. A record of which they are not known is not small. */
const smallRecord = 8 * 1024
/** Between two looks at the turn, a millisecond's worth at most: a look for each costs a twentieth of the speed. */
const smallRecordsAtOnce = 8

/** What becomes of one record; `known` is what all of a batch have in common. null: it is rejected. */
type Change<In, Out, Known> = (value: In, envelope: Envelope<unknown>, known: Known) => Out | null

/**
 * Lifts a plain function of one record to a stage. It is not called for records that could not be read. Synchronous, but for a batch that
 * takes longer than a turn.
 */
export const perRecord = <In, Out>(change: Change<In, Out, undefined>): RecordStage<In, Out> =>
  ((batch: Batch<In>, turn?: Turn) => changeRecords(batch, turn, change, undefined)) as RecordStage<In, Out>

/** The same for one batch, of which something is known. So `change` need not be made for it: V8 would compile it for each anew (docs/performance.md, "What is compiled once"). */
export function changeRecords<In, Out, Known> (batch: Batch<In>, turn: Turn | undefined, change: Change<In, Out, Known>, known: Known): Batch<Out> | Promise<Batch<Out>> {
  const at = go(batch, 0, turn, change, known)
  // The envelopes are reused: allocating a million of them anew in each stage would be most of its cost.
  return turn === undefined || at === batch.length ? batch as Batch<unknown> as Batch<Out> : goOn(batch, at, turn, change, known)
}

/** Gives where it has stopped. */
function go<In, Out, Known> (batch: Batch<unknown>, from: number, turn: Turn | undefined, change: Change<In, Out, Known>, known: Known): number {
  let unlooked = 0
  for (let at = from; at < batch.length; at++) {
    const envelope = batch[at] as Envelope<unknown>
    const { value, characters } = envelope
    if (value === null) continue
    envelope.value = change(value as In, envelope, known)
    if (characters > 0 && characters <= smallRecord && ++unlooked < smallRecordsAtOnce) continue
    unlooked = 0
    if (turn?.isOver() === true) return at + 1
  }
  return batch.length
}

async function goOn<In, Out, Known> (batch: Batch<unknown>, from: number, turn: Turn, change: Change<In, Out, Known>, known: Known): Promise<Batch<Out>> {
  for (let at = from; at < batch.length;) {
    await turn.giveWay()
    at = go(batch, at, turn, change, known)
  }
  return batch as Batch<Out>
}

/** Runs stages one after the other; awaits only those that are asynchronous, and the others' turn between two of them. */
export function inOrder<A, B, C> (a: Stage<A, B>, b: Stage<B, C>): Stage<A, C>
export function inOrder<A, B, C, D> (a: Stage<A, B>, b: Stage<B, C>, c: Stage<C, D>): Stage<A, D>
export function inOrder<A, B, C, D, E> (a: Stage<A, B>, b: Stage<B, C>, c: Stage<C, D>, d: Stage<D, E>): Stage<A, E>
export function inOrder<A, B, C, D, E, F> (a: Stage<A, B>, b: Stage<B, C>, c: Stage<C, D>, d: Stage<D, E>, e: Stage<E, F>): Stage<A, F>
export function inOrder (...stages: Array<Stage<never, unknown>>): Stage<never, unknown> {
  return (batch, turn) => {
    let current: Batch<unknown> | Promise<Batch<unknown>> = batch
    for (const stage of stages as Array<Stage<unknown, unknown>>) {
      current = current instanceof Promise || turn?.isOver() === true ? inTurn(current, stage, turn) : stage(current, turn)
    }
    return current
  }
}

async function inTurn (current: Batch<unknown> | Promise<Batch<unknown>>, stage: Stage<unknown, unknown>, turn: Turn | undefined): Promise<Batch<unknown>> {
  const batch = await current
  if (turn?.isOver() === true) await turn.giveWay()
  return await stage(batch, turn)
}
