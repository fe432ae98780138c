/** `memory`: its heap ran over; `held-up`: one step of a task never ended, so it was ended; `ended`: anything else, such as native code. */
export type LossReason = 'memory' | 'held-up' | 'ended'

/**
 * Whose doing it was: this task's, for it ran alone or its step was the one that did not end; another's; or nobody knows, because several
 * ran side by side.
 */
export type Blame = 'this' | 'another' | 'unknown'

/**
 * The thread (or process) that ran a task is gone, or was held up by another of its tasks for so long that this one is better begun anew
 * elsewhere. Whatever the task still does there is to be made harmless by whoever began it.
 */
export class ThreadLost extends Error {
  override readonly name = 'ThreadLost'

  constructor (readonly reason: LossReason, readonly blame: Blame, cause?: unknown) {
    super(blame === 'this' ? wordings[reason].blamed : wordings[reason].other, cause === undefined ? undefined : { cause })
  }
}

/** Of a task, in words that go on after whatever names it: "the import …". */
const wordings: Record<LossReason, { blamed: string, other: string }> = {
  memory: { blamed: 'took too much memory', other: 'was lost: its thread ran out of memory' },
  'held-up': { blamed: 'took too long over a single step', other: 'was lost: its thread was held up by another task' },
  ended: { blamed: 'ended its thread', other: 'was lost: its thread has ended' }
}
