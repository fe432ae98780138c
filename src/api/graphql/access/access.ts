/** Resolvers of keys and of the audit trail (decisions.md, Access). */
import { holdsEverything, type UserPrincipal } from '../../../domain/access.js'
import type { AuditEvent } from '../../../domain/audit.js'
import { dateTime } from '../../../domain/reader.js'
import { conflict, notFound } from '../../../errors.js'
import { readSshPublicKey } from '../../../domain/ssh-public-key.js'
import type { AuditFilter } from '../../../store/access/audit-events.js'
import type { Repositories } from '../../../store/repositories.js'
import { vendorOf } from '../../auth/access.js'
import type { Authenticator } from '../../auth/authenticator.js'
import { auditCursor } from '../cursors.js'
import type {
  AuditEventResolvers, IntegrationApiKeyResolvers, MutationcreateUserApiKeyArgs, MutationResolvers, MutationrevokeUserApiKeyArgs,
  QueryResolvers, SftpKeyResolvers, UserApiKeyResolvers
} from '../generated.js'
import { toActorNode, type UserApiKeyNode } from '../nodes.js'
import { pageSize } from '../limits/page-size.js'

const auditPage = { min: 1, max: 200, default: 50 }

interface Dependencies {
  repositories: Pick<Repositories, 'integrationApiKeys' | 'userApiKeys' | 'auditEvents' | 'sftpKeys'>
  authenticator: Pick<Authenticator, 'forgetKey'>
}

export function createAccessResolvers ({ repositories: { integrationApiKeys, userApiKeys, auditEvents, sftpKeys }, authenticator }: Dependencies) {
  /** What has changed counts at once here, and within 5 s in other processes. */
  function changed<T extends { hash: string }> (key: T | null): T {
    if (key === null) throw notFound('No such API key')
    authenticator.forgetKey(key.hash)
    return key
  }

  const Query = {
    integrationApiKeys: async (caller, { vendorId }) => await integrationApiKeys.list(vendorOf(caller, vendorId)),

    sftpKeys: async (caller, { vendorId }) => await sftpKeys.list(vendorOf(caller, vendorId)),

    async auditEvents (caller, { vendorId: named, first: wanted, cursor, actor, by, action, from, to }, { rows }) {
      const vendorId = vendorOf(caller, named)
      const first = pageSize(wanted, auditPage)
      rows.take('node', first)
      const after = cursor === undefined || cursor === null ? null : auditCursor.decode(cursor, vendorId)
      const among: AuditFilter = { actor: actor == null ? null : actorKinds[actor], by: by ?? null, action: action ?? null, from: dateOrNull(from), to: dateOrNull(to) }
      const { nodes, hasNextPage } = await auditEvents.page(vendorId, { first, after }, among)
      const last = nodes.at(-1)
      return {
        nodes,
        hasNextPage,
        endCursor: last === undefined ? null : auditCursor.encode(last._id),
        totalCount: async () => await auditEvents.count(vendorId, among)
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

    async addSftpKey (caller, { vendorId: named, publicKey: text }) {
      const vendorId = vendorOf(caller, named)
      const { fingerprint, publicKey, comment } = readSshPublicKey(text)
      const key = { _id: fingerprint, vendorId, publicKey, comment, createdAt: new Date() }
      if (!await sftpKeys.add(key)) throw conflict('This key is registered for another vendor already', 'publicKey')
      return key
    },

    async revokeSftpKey (caller, { vendorId, id }) {
      if (!await sftpKeys.remove(vendorOf(caller, vendorId), id)) throw notFound('No such SFTP key')
      return true
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

  const SftpKey = { id: (key) => key._id } satisfies SftpKeyResolvers

  return { Query, Mutation, ofUser, SftpKey, IntegrationApiKey, UserApiKey, AuditEvent }
}

const actorKinds = { USER: 'user', INTEGRATION_KEY: 'integration-key', OPERATOR: 'operator' } as const
const outcomeNames = { pending: 'PENDING', done: 'DONE', refused: 'REFUSED' } as const satisfies Record<AuditEvent['outcome'], string>

/** The scalar has checked it already. */
function dateOrNull (value: Date | string | null | undefined): Date | null {
  if (value === undefined || value === null) return null
  return value instanceof Date ? value : dateTime(value, []) ?? new Date(NaN)
}
