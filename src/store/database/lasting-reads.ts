/**
 * Of reads on whose strength a line is settled without a write: known lines, heads, a REPLACE's live products, and products that are merged, which may
 * hold the line's own mark, or just what it says. What a majority has is not undone by a failover; what the primary alone has may be,
 * and nobody would write it again. It costs no wait. One that is behind another's write that is being acknowledged loses by its
 * revision, like any that came too early.
 */
import type { ClientSession } from 'mongodb'

export const lasting = { readConcern: { level: 'majority' } } as const

/** `session`: of a transaction, which reads one state of everything (snapshot). */
export type ReadStrength = Partial<typeof lasting> & { session?: ClientSession }
