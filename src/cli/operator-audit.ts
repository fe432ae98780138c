/** What operators do at the command line is on the vendors' audit trail, too (domain/audit.ts). */
import { createAuditTrail } from '../store/access/audit-trail.js'
import type { Repositories } from '../store/repositories.js'
import type { CliContext } from './context.js'

/** Runs `work` as an event of each of the vendors; `targetIn` finds what was acted on in its result. */
export async function asOperator<T> (
  { output }: CliContext, { auditEvents }: Pick<Repositories, 'auditEvents'>, { vendorIds, action }: { vendorIds: readonly string[], action: string },
  work: () => Promise<T>, targetIn: (result: T) => string, relatedIn?: (result: T, vendorId: string) => string[]
): Promise<T> {
  const audit = createAuditTrail(auditEvents, () => { output.note('It was done, but its event on the audit trail stays "pending": the database went away') })
  return await audit({ by: { kind: 'operator' }, vendorIds, action, target: null }, work, targetIn, relatedIn)
}
