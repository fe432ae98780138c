/** External ids of products of which lines are on their way to the database: read, and not yet durable. */
export class PendingProducts {
  readonly #lines = new Map<string, number>()

  has (externalId: string): boolean { return this.#lines.has(externalId) }

  /** One entry for each line. */
  add (externalIds: Iterable<string>): void {
    for (const id of externalIds) this.#lines.set(id, (this.#lines.get(id) ?? 0) + 1)
  }

  remove (externalIds: Iterable<string>): void {
    for (const id of externalIds) {
      const left = (this.#lines.get(id) ?? 0) - 1
      if (left > 0) this.#lines.set(id, left)
      else this.#lines.delete(id)
    }
  }
}
