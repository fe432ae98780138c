/**
 * Puts every root field behind its access rule (auth/rules.ts), and every mutation on the audit trail. Root resolvers get the
 * caller in place of a root value, so none can run without one. Nested fields need no rule as long as they only read what their
 * root field has handed down.
 */
import type { GraphQLResolveInfo } from 'graphql'
import type { MercuriusContext } from 'mercurius'
import type { Caller, UserPrincipal } from '../../domain/access.js'
import { actorOf } from '../../domain/audit.js'
import { forbidden, limitExceeded } from '../../errors.js'
import type { AuditTrail } from '../../store/audit-trail.js'
import { abortable } from '../graphql/abortable.js'
import { assertAdmin, assertPermitted } from './access.js'
import { rules, unauditedMutations, type Rule, type RuleTable } from './rules.js'

/** `never`: each has arguments of its own, which graphql-js has checked against the schema. */
type RootResolver<Root> = (root: Root, args: never, context: MercuriusContext, info: GraphQLResolveInfo) => unknown
type RootSubscriber = (
  caller: Caller, args: never, context: MercuriusContext, info: GraphQLResolveInfo, signal: AbortSignal
) => AsyncGenerator<unknown>

interface RootResolvers {
  Query: Record<string, RootResolver<Caller>>
  Mutation: Record<string, RootResolver<Caller>>
  /** Generators that end soon after `signal` is aborted. */
  Subscription: Record<string, RootSubscriber>
  /** Those of the rule USER: they get the user, without a vendor. */
  ofUser?: {
    Query: Record<string, RootResolver<UserPrincipal>>
    Mutation: Record<string, RootResolver<UserPrincipal>>
  }
}

/** Of one connection at a time; a dashboard follows a handful. */
const maxRunningSubscriptions = 50

/** The same resolvers, each behind its rule. Throws when one has none, or one of the other kind. */
export function guardRootFields (
  { Query, Mutation, Subscription, ofUser }: RootResolvers, { audit, table = rules }: { audit: AuditTrail, table?: RuleTable }
): Record<string, Record<string, unknown>> {
  return {
    Query: {
      ...guardEach('Query', Query, table, (resolve, rule) => resolverOf(callerBy(rule), resolve)),
      ...guardEach('Query', ofUser?.Query ?? {}, table, (resolve) => resolverOf(userOf, resolve), 'USER')
    },
    Mutation: {
      ...guardEach('Mutation', Mutation, table, (resolve, rule) => resolverOf(callerBy(rule), onRecord(audit, resolve))),
      ...guardEach('Mutation', ofUser?.Mutation ?? {}, table, (resolve) => resolverOf(userOf, onRecord(audit, resolve)), 'USER')
    },
    Subscription: guardEach('Subscription', Subscription, table, guardSubscriber)
  }
}

function guardEach<T> (
  type: keyof RuleTable, fields: Record<string, T>, table: RuleTable, guard: (resolver: T, rule: Rule) => unknown, only?: 'USER'
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([field, resolver]) => {
    const rule = table[type][field]
    if (rule === undefined) throw new Error(`${type}.${field} has no access rule`)
    if ((rule === 'USER') !== (only === 'USER')) throw new Error(`${type}.${field} must be among the resolvers of its rule, ${rule}`)
    return [field, guard(resolver, rule)]
  }))
}

type Admit<Root> = (args: object, context: MercuriusContext) => Promise<Root>

const callerBy = (rule: Rule): Admit<Caller> => async (args, context) => {
  const caller = await context.caller(vendorNamedIn(args))
  if (rule === 'ADMIN') assertAdmin(caller)
  else if (rule !== 'ANY_CREDENTIAL' && rule !== 'USER') assertPermitted(caller, rule)
  return caller
}

const userOf: Admit<UserPrincipal> = async (_args, context) => {
  const principal = await context.principal()
  if (principal.kind !== 'user') throw forbidden('This needs a user: an access token, or a user\'s API key')
  return principal
}

/** Operations name their vendor in an argument of their own or in their input. */
function vendorNamedIn (args: { vendorId?: unknown, input?: unknown }): string | undefined {
  const { vendorId = (args.input as { vendorId?: unknown } | null | undefined)?.vendorId } = args
  return typeof vendorId === 'string' ? vendorId : undefined
}

const resolverOf = <Root>(admit: Admit<Root>, resolve: RootResolver<Root>) =>
  async (_root: unknown, args: never, context: MercuriusContext, info: GraphQLResolveInfo): Promise<unknown> =>
    await resolve(await admit(args, context), args, context, info)

function onRecord <Root extends Caller | UserPrincipal> (audit: AuditTrail, resolve: RootResolver<Root>): RootResolver<Root> {
  return async (by, args, context, info) => {
    const operation = async (): Promise<unknown> => await resolve(by, args, context, info)
    if (unauditedMutations.has(info.fieldName)) return await operation()
    const vendorIds = 'vendorId' in by ? [by.vendorId] : by.memberships.map(({ vendorId }) => vendorId)
    return await audit({ by: actorOf(by), vendorIds, action: info.fieldName, target: targetIn(args) }, operation, targetIn)
  }
}

/** Where arguments and results hold the id of what they are about. */
function targetIn (value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  const { id, _id, jobId, input, apiKey } = value as Record<string, unknown>
  return id ?? _id ?? jobId ?? targetIn(input ?? apiKey)
}

/** Refusals are thrown at the first event, not by `subscribe` itself: Mercurius logs those as failures of its own. */
const guardSubscriber = (subscribe: RootSubscriber, rule: Rule) => ({
  subscribe: (_root: unknown, args: never, context: MercuriusContext, info: GraphQLResolveInfo) =>
    abortable(async function * (signal) {
      const { connection } = context
      if (connection !== undefined && connection.running >= maxRunningSubscriptions) {
        throw limitExceeded(`At most ${maxRunningSubscriptions} subscriptions may run over one connection`)
      }
      if (connection !== undefined) connection.running++
      try {
        const caller = await callerBy(rule)(args, context)
        for await (const value of subscribe(caller, args, context, info, signal)) {
          await callerBy(rule)(args, context)
          context.rows.reset()
          yield { [info.fieldName]: value }
        }
      } finally {
        if (connection !== undefined) connection.running--
      }
    }, context.connection?.closed)
})
