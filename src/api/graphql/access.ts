/** Resolvers of keys and of the audit trail (decisions.md, Access). */
import type { UserPrincipal } from '../../domain/access.js'
import type { AuditEvent } from '../../domain/audit.js'
import { dateTime } from '../../domain/reader.js'
import { forbidden, notFound } from '../../errors.js'
import type { Repositories } from '../../store/repositories.js'
import { vendorOf } from '../auth/access.js'
import type { Authenticator } from '../auth/authenticator.js'
import { auditCursor } from './cursors.js'
import type {
  AuditEventResolvers, IntegrationApiKeyResolvers, MutationcreateUserApiKeyArgs, MutationResolvers, MutationrevokeUserApiKeyArgs,
  QueryResolvers, UserApiKeyResolvers
} from './generated.js'
import { pageSize } from './page-size.js'

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
    async createIntegrationApiKey (caller, { input: { vendorId, name, permissions } }) {
      const { key, record } = await integrationApiKeys.create(vendorOf(caller, vendorId), name, permissions)
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
      async createUserApiKey ({ userId, keyId }: UserPrincipal, { input: { name, expiresAt } }: MutationcreateUserApiKeyArgs) {
        // A stolen key that made others would outlive its own revoke and expiry.
        if (keyId !== null) throw forbidden('Create API keys with an access token: a key cannot make keys')
        const { key, record } = await userApiKeys.create(userId, name, expiresAt === undefined || expiresAt === null ? null : dateOf(expiresAt))
        return { key, apiKey: record }
      },
      revokeUserApiKey: async ({ userId }: UserPrincipal, { id }: MutationrevokeUserApiKeyArgs) => changed(await userApiKeys.revoke(userId, id))
    }
  }

  const IntegrationApiKey = { id: (key) => key._id } satisfies IntegrationApiKeyResolvers
  const UserApiKey = { id: (key) => key._id } satisfies UserApiKeyResolvers
  const AuditEvent = {
    id: (event) => event._id,
    actor: ({ actor }) => actorNames[actor.kind],
    userId: ({ actor }) => actor.kind === 'user' ? actor.userId : null,
    keyId: ({ actor }) => actor.kind === 'operator' ? null : actor.keyId,
    outcome: ({ outcome }) => outcomeNames[outcome]
  } satisfies AuditEventResolvers

  return { Query, Mutation, ofUser, IntegrationApiKey, UserApiKey, AuditEvent }
}

const actorNames = { user: 'USER', 'integration-key': 'INTEGRATION_KEY', operator: 'OPERATOR' } as const
const outcomeNames = { pending: 'PENDING', done: 'DONE', refused: 'REFUSED' } as const satisfies Record<AuditEvent['outcome'], string>

/** The scalar has checked it already. */
const dateOf = (value: Date | string): Date => value instanceof Date ? value : dateTime(value, []) ?? new Date(NaN)
