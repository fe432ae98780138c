/** Resolvers of keys and of the audit trail (decisions.md, Access). */
import { holdsEverything, type UserPrincipal } from '../../../domain/access.js'
import type { AuditEvent } from '../../../domain/audit.js'
import { dateTime } from '../../../domain/reader.js'
import { notFound } from '../../../errors.js'
import type { Repositories } from '../../../store/repositories.js'
import { vendorOf } from '../../auth/access.js'
import type { Authenticator } from '../../auth/authenticator.js'
import { auditCursor } from '../cursors.js'
import type {
  AuditEventResolvers, IntegrationApiKeyResolvers, MutationcreateUserApiKeyArgs, MutationResolvers, MutationrevokeUserApiKeyArgs,
  QueryResolvers, UserApiKeyResolvers
} from '../generated.js'
import { toActorNode, type UserApiKeyNode } from '../nodes.js'
import { pageSize } from '../limits/page-size.js'

const auditPage = { min: 1, max: 200, default: 50 }

interface Dependencies {
  repositories: Pick<Repositories, 'integrationApiKeys' | 'userApiKeys' | 'auditEvents'>
  authenticator: Pick<Authenticator, 'forgetKey'>
}

export function createAccessResolvers ({ repositories: { integrationApiKeys, userApiKeys, auditEvents }, authenticator }: Dependencies) {
  /** What has changed counts at once here, and within 5 s in other processes. */
  function changed<T extends { hash: string }> (key: T | null): T {
    if (key === null) throw notFound('No such API key')
    authenticator.forgetKey(key.hash)
    return key
  }

  const Query = {
    integrationApiKeys: async (caller, { vendorId }) => await integrationApiKeys.list(vendorOf(caller, vendorId)),

    async auditEvents (caller, { vendorId: named, first: wanted, cursor }, { rows }) {
      const vendorId = vendorOf(caller, named)
      const first = pageSize(wanted, auditPage)
      rows.take('node', first)
      const after = cursor === undefined || cursor === null ? null : auditCursor.decode(cursor, vendorId)
      const { nodes, hasNextPage } = await auditEvents.page(vendorId, { first, after })
      const last = nodes.at(-1)
      return {
        nodes,
        hasNextPage,
        endCursor: last === undefined ? null : auditCursor.encode(last._id),
        totalCount: async () => await auditEvents.count(vendorId)
      }
    }
  } satisfies QueryResolvers

  const Mutation = {
    async createIntegrationApiKey (caller, { input: { vendorId, name, permissions, expiresAt } }) {
      const createdBy = caller.kind === 'user' ? caller.userId : null
      const { key, record } = await integrationApiKeys.create(vendorOf(caller, vendorId), name, permissions, { createdBy, expiresAt: dateOrNull(expiresAt) })
      return { key, apiKey: record }
    },

    async updateIntegrationApiKey (caller, { input: { id, name, permissions } }) {
      return changed(await integrationApiKeys.update(caller.vendorId, id, {
        ...name === undefined || name === null ? {} : { name },
        ...permissions === undefined || permissions === null ? {} : { permissions }
      }))
    },

    revokeIntegrationApiKey: async (caller, { id }) => changed(await integrationApiKeys.revoke(caller.vendorId, id))
  } satisfies MutationResolvers

  const ofUser = {
    Query: {
      userApiKeys: async ({ userId }: UserPrincipal) => await userApiKeys.list(userId)
    },
    Mutation: {
      async createUserApiKey ({ userId }: UserPrincipal, { input: { name, expiresAt } }: MutationcreateUserApiKeyArgs) {
        const { key, record } = await userApiKeys.create(userId, name, dateOrNull(expiresAt))
        return { key, apiKey: record }
      },
      async revokeUserApiKey ({ userId, memberships }: UserPrincipal, { id }: MutationrevokeUserApiKeyArgs): Promise<UserApiKeyNode> {
        const key = changed(await userApiKeys.revoke(userId, id))
        const madeKeys = await integrationApiKeys.workingOf(userId)
        // Who is admin no longer may not read the vendor's keys, not even its own; the vendor's audit trail names them.
        const managed = new Set(memberships.filter(({ role }) => holdsEverything(role)).map(({ vendorId }) => vendorId))
        return { ...key, madeKeys, integrationApiKeys: madeKeys.filter(({ vendorId }) => managed.has(vendorId)) }
      }
    }
  }

  const IntegrationApiKey = { id: (key) => key._id } satisfies IntegrationApiKeyResolvers
  const UserApiKey = { id: (key) => key._id } satisfies UserApiKeyResolvers
  const AuditEvent = {
    id: (event) => event._id,
    actor: ({ actor }) => toActorNode(actor).actor,
    userId: ({ actor }) => toActorNode(actor).userId,
    relatedIds: ({ relatedIds = [] }) => relatedIds,
    keyId: ({ actor }) => toActorNode(actor).keyId,
    outcome: ({ outcome }) => outcomeNames[outcome]
  } satisfies AuditEventResolvers

  return { Query, Mutation, ofUser, IntegrationApiKey, UserApiKey, AuditEvent }
}

const outcomeNames = { pending: 'PENDING', done: 'DONE', refused: 'REFUSED' } as const satisfies Record<AuditEvent['outcome'], string>

/** The scalar has checked it already. */
function dateOrNull (value: Date | string | null | undefined): Date | null {
  if (value === undefined || value === null) return null
  return value instanceof Date ? value : dateTime(value, []) ?? new Date(NaN)
}
