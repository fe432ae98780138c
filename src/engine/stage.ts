/**
 * The stage contract (see engine/envelope for the obligations). A stage takes a batch and gives back the same envelopes
 * in the same order with new values. Synchronous stages stay synchronous: an await per stage and batch is affordable,
 * one per record is not (15 to 30 % of the throughput).
 */
import type { Batch, Envelope } from './envelope.js'

export type Stage<In, Out> = (batch: Batch<In>) => Batch<Out> | Promise<Batch<Out>>

/** A stage that does no I/O. */
export type SyncStage<In, Out> = (batch: Batch<In>) => Batch<Out>

/** Lifts a plain function of one record to a stage. It is not called for records that could not be read. */
export function perRecord<In, Out> (change: (value: In, envelope: Envelope<unknown>) => Out | null): SyncStage<In, Out> {
  return (batch) => {
    for (const envelope of batch as Batch<unknown>) {
      if (envelope.value !== null) envelope.value = change(envelope.value as In, envelope)
    }
    // The envelopes are reused: allocating a million of them anew in each stage would be most of its cost.
    return batch as unknown as Batch<Out>
  }
}

/** Runs stages one after the other; awaits only those that are asynchronous. */
export function inOrder<A, B, C> (a: Stage<A, B>, b: Stage<B, C>): Stage<A, C>
export function inOrder<A, B, C, D> (a: Stage<A, B>, b: Stage<B, C>, c: Stage<C, D>): Stage<A, D>
export function inOrder<A, B, C, D, E> (a: Stage<A, B>, b: Stage<B, C>, c: Stage<C, D>, d: Stage<D, E>): Stage<A, E>
export function inOrder<A, B, C, D, E, F> (a: Stage<A, B>, b: Stage<B, C>, c: Stage<C, D>, d: Stage<D, E>, e: Stage<E, F>): Stage<A, F>
export function inOrder (...stages: Array<Stage<never, unknown>>): Stage<never, unknown> {
  return (batch) => {
    let current: Batch<unknown> | Promise<Batch<unknown>> = batch
    for (const stage of stages as Array<Stage<unknown, unknown>>) {
      current = current instanceof Promise ? current.then(stage) : stage(current)
    }
    return current
  }
}
