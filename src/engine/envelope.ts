/**
 * What travels through a pipeline: one record, where it came from, and what has been found out about it.
 *
 * Obligations of everything that handles envelopes:
 *  - A record enters once and leaves once; its place in the batch never changes.
 *  - Bad data is a fault on its envelope, never a throw. A throw ends the run and means that it may be tried again.
 *  - A rejected envelope goes on through the stages as far as its value can be read, so that one message can name
 *    every fault of a line; only stages that do I/O and the sink leave rejected ones alone.
 */
import { maxFaults, type Fault, type Warning } from '../domain/issue.js'
import type { LinePosition } from '../domain/product.js'

/** Shared: nearly all records are good, and two lists for each would be garbage for nothing. */
const none: readonly never[] = []

export class Envelope<T> {
  readonly position: LinePosition
  /** Of the record as it came; 0: it is not known. */
  readonly characters: number
  /** null: the record could not be read at all, or is `unchanged`. */
  value: T | null
  /** As soon as it could be read, also when the record is rejected. */
  externalId: string | null = null
  /** Of a record that could not be read, as far as it could be told (domain/salvage-id): whose it is, and no more. */
  salvagedId: string | null = null
  /**
   * The record as JSON text: who writes it tells by this whether it is the one of last time (store/catalog/patch-hash). Of one that is rejected, and came as a
   * value, there is none.
   */
  text = ''
  /** Known by its text to say what its product holds already: it has no value, and there is nothing to write. */
  unchanged = false
  faults: readonly Fault[] = none
  warnings: readonly Warning[] = none

  constructor (position: LinePosition, value: T | null, characters = 0) {
    this.position = position
    this.characters = characters
    this.value = value
  }

  get rejected (): boolean { return this.faults.length > 0 }

  reject (fault: Fault): void {
    if (this.faults.length < maxFaults) this.faults = [...this.faults, fault]
  }

  warn (warning: Warning): void {
    if (this.warnings.length < maxFaults) this.warnings = [...this.warnings, warning]
  }
}

export type Batch<T> = Array<Envelope<T>>
