/**
 * Rounds of the event loop of one's own. What is made of a large answer of the database, decoding it first of all, keeps the loop for some ten milliseconds. Of answers that come together each has a
 * round, vendors in turn, and between two of them everybody's small things go: so who asks for a little waits for one of those at a time, however many there are.
 */

/** By vendor, whose turn is next first. */
const waiting = new Map<string, Array<() => void>>()
let isTaken = false

/** Resolves at once where this round is nobody's yet. What is done next should take some ten milliseconds at most; what takes longer asks again. */
export async function ownRound (owner: string): Promise<void> {
  if (!isTaken) {
    take()
    return
  }
  await new Promise<void>((resolve) => {
    const own = waiting.get(owner)
    if (own === undefined) waiting.set(owner, [resolve])
    else own.push(resolve)
  })
}

function take (): void {
  isTaken = true
  setImmediate(() => {
    isTaken = false
    const [next] = waiting
    if (next === undefined) return
    const [owner, own] = next
    const begin = own.shift()
    waiting.delete(owner)
    if (own.length > 0) waiting.set(owner, own)
    take()
    begin?.()
  })
}
