/**
 * What is refused, for those who run the service: credentials that do not work, and operations that their callers may not do. All are counted, by
 * reason. The log tells of the first few of an address or caller within a minute, and with the next one how many it has left out, of
 * that one and of all, so that who floods the service with refusals neither floods its log nor hides others' in it. An operation that a
 * known caller was refused is on the audit trail of the vendor, likewise the first few, of a caller and of a vendor: what is left out
 * there has a caller who is known by then, and no other vendor's trail is shorter for it.
 */
import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { Counter, type Registry } from 'prom-client'
import type { Principal } from '../../domain/access.js'
import { actorOf, auditTarget } from '../../domain/audit.js'
import { isAppError } from '../../errors.js'
import { sourceOf } from '../../networks.js'
import type { AuditEvents } from '../../store/access/audit-events.js'
import { createSparing } from './sparing.js'

export interface Refusals {
  /** `error` is what a request's credential was refused with. One that was not sent was not refused. */
  credential (request: Pick<FastifyRequest, 'ip' | 'log'>, error: unknown): void
  /** `error` is what an operation was refused with; anything but FORBIDDEN is none. Never rejects. */
  operation (by: Principal, operation: RefusedOperation, error: unknown, log: FastifyBaseLogger): Promise<void>
}

interface RefusedOperation {
  /** The root field, or the route. */
  action: string
  /** The vendor that was named, which need not be one of the caller's. */
  vendorId: string | undefined
  /** What was to be acted on, where the request names it. */
  target: unknown
}

interface RefusalsOptions {
  auditEvents: Pick<AuditEvents, 'refused'>
  /** Absent where nobody reads metrics. */
  metrics: Registry | undefined
  monotonicMs: () => number
}

/** Of one address or caller, and of all together, within a minute. */
const maxTold = { ofOne: 5, ofAll: 100 }
/** Within a minute. A vendor may have some hundred keys and users. */
const maxAudited = { ofCaller: 10, ofVendor: 100 }

export function createRefusals ({ auditEvents, metrics, monotonicMs }: RefusalsOptions): Refusals {
  const credentials = counter(metrics, 'catalog_refused_credentials_total', 'Credentials that were sent and do not work')
  const operations = counter(metrics, 'catalog_refused_operations_total', 'Operations that their callers may not do')
  const tellCredential = createSparing({ ...maxTold, monotonicMs })
  const tellOperation = createSparing({ ...maxTold, monotonicMs })
  const auditCaller = createSparing({ ofOne: maxAudited.ofCaller, ofAll: Infinity, monotonicMs })
  const auditVendor = createSparing({ ofOne: maxAudited.ofVendor, ofAll: Infinity, monotonicMs })

  return {
    credential ({ ip, log }, error) {
      if (!isAppError(error) || error.code !== 'UNAUTHENTICATED' || error.reason === 'nothing-sent') return
      const reason = error.reason ?? 'other'
      credentials?.inc({ reason })
      const leftOut = tellCredential(sourceOf(ip))
      if (leftOut !== null) log.warn({ reason, address: ip, ...leftOut }, 'a credential was refused')
    },
    async operation (by, { action, vendorId, target }, error, log) {
      if (!isAppError(error) || error.code !== 'FORBIDDEN') return
      const { code, reason = 'other' } = error
      operations?.inc({ reason })
      const caller = by.kind === 'user' ? `user ${by.userId}` : `key ${by.keyId}`
      const leftOut = tellOperation(caller)
      if (leftOut !== null) log.warn({ reason, action, ...leftOut }, 'an operation was refused')
      if (auditCaller(caller) === null) return
      await Promise.all(vendorsOf(by, vendorId).filter((at) => auditVendor(at) !== null).map(async (at) => { await auditEvents.refused(at, actorOf(by), action, auditTarget(target), code) }))
        .catch((error: unknown) => { log.warn({ err: error, action }, 'a refused operation was not put on record') })
    }
  }
}

const counter = (metrics: Registry | undefined, name: string, help: string): Counter<'reason'> | undefined =>
  metrics === undefined ? undefined : new Counter({ name, help, labelNames: ['reason'], registers: [metrics] })

/** Whose business it is: of the vendors of the caller the one that was named, if it is one of them. */
function vendorsOf (by: Principal, named: string | undefined): string[] {
  if (by.kind === 'integration-key') return [by.vendorId]
  const own = by.memberships.map(({ vendorId }) => vendorId)
  return named !== undefined && own.includes(named) ? [named] : own
}
