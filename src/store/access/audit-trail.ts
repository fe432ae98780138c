/** Runs operations under the eyes of the audit trail (domain/audit.ts). */
import { auditTarget, type Actor } from '../../domain/audit.js'
import { isAppError } from '../../errors.js'
import type { AuditEvents } from './audit-events.js'

interface Audited {
  by: Actor
  /** Each gets an event of its own. */
  vendorIds: readonly string[]
  action: string
  /** What is acted on, where the request names it. */
  target: unknown
}

/**
 * `targetIn` finds what was acted on in the result, `relatedIn` what it leaves to look at, at one vendor. An operation that cannot be
 * put on record is not begun.
 */
export type AuditTrail = <T>(
  audited: Audited, operation: () => Promise<T>, targetIn: (result: T) => unknown, relatedIn?: (result: T, vendorId: string) => string[]
) => Promise<T>

/** `onUnfinished` is told when the end of an operation could not be put on record. */
export function createAuditTrail (auditEvents: AuditEvents, onUnfinished: (error: unknown, action: string) => void): AuditTrail {
  return async ({ by, vendorIds, action, target }, operation, targetIn, relatedIn = () => []) => {
    const events = await Promise.all(vendorIds.map(async (vendorId) => (
      { vendorId, id: await auditEvents.begin(vendorId, by, action, auditTarget(target)) }
    )))
    const end = async (code: string | null, foundTarget: unknown, relatedAt: (vendorId: string) => string[] = () => []): Promise<void> => {
      const outcome = { code, targetId: auditTarget(foundTarget) }
      await Promise.all(events.map(async ({ vendorId, id }) => { await auditEvents.end(vendorId, id, { ...outcome, relatedIds: relatedAt(vendorId) }) }))
        // The operation has taken effect, and its caller is told so. The event stays pending, which says just that.
        .catch((error: unknown) => { onUnfinished(error, action) })
    }
    let result
    try {
      result = await operation()
    } catch (error) {
      await end(isAppError(error) ? error.code : 'INTERNAL_SERVER_ERROR', null)
      throw error
    }
    await end(null, targetIn(result), (vendorId) => relatedIn(result, vendorId))
    return result
  }
}
