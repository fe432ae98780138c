/**
 * The audit trail: who asked for what, on which vendor, when, and what came of it.
 *
 *   pending ──▶ done | refused
 *
 * An event is stored before its operation begins, so that none takes effect unseen; one that stays `pending` was cut off by a
 * crash and may or may not have taken effect. Values that were sent are never stored, only what was acted on.
 */
import type { Caller, Principal } from './access.js'

export type Actor =
  | { kind: 'user', userId: string, keyId: string | null }
  | { kind: 'integration-key', keyId: string }
  /** Someone at the command line of the service itself. */
  | { kind: 'operator' }

export const actorOf = (by: Caller | Principal): Actor => by.kind === 'user'
  ? { kind: 'user', userId: by.userId, keyId: by.keyId }
  : { kind: 'integration-key', keyId: by.keyId }

export type AuditOutcome = 'pending' | 'done' | 'refused'

/** The document in `audit_events`. */
export interface AuditEvent {
  /** `{vendorId}:{time}:{random}`: a vendor's events in the order of their time. */
  _id: string
  vendorId: string
  at: Date
  actor: Actor
  /** The mutation's name; for the command line its words, such as `key create`. */
  action: string
  /** Id of what was acted on, as far as it is known. */
  targetId: string | null
  /** Ids of what it leaves for somebody to look at: of a user's key that was revoked, the integration keys that its user has made. */
  relatedIds?: string[]
  outcome: AuditOutcome
  /** The error's code when refused. */
  code: string | null
  expiresAt: Date
}

export const auditRetentionMs = 365 * 24 * 60 * 60 * 1_000

/** Ids come from the request and may be anything. */
const maxTargetLength = 255

/** A text that can be an id of ours; null for anything else. */
export const auditTarget = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' && value.length <= maxTargetLength ? value : null
