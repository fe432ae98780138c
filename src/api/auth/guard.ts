/**
 * Puts every root field behind its access rule (auth/rules.ts), and every mutation on the audit trail. Root resolvers get the
 * caller in place of a root value, so none can run without one. Nested fields need no rule as long as they only read what their
 * root field has handed down.
 */
import type { GraphQLResolveInfo } from 'graphql'
import type { MercuriusContext } from 'mercurius'
import type { Caller, Principal, UserPrincipal } from '../../domain/access.js'
import { actorOf } from '../../domain/audit.js'
import { forbidden, limitExceeded } from '../../errors.js'
import type { AuditTrail } from '../../store/access/audit-trail.js'
import { abortable } from '../graphql/abortable.js'
import { assertAdmin, assertInPerson, assertPermitted } from './access.js'
import { isAdminRule, isInPerson, isPrincipalRule, isUserRule, rules, unauditedMutations, type Rule, type RuleTable } from './rules.js'

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
  /** Those of the rules of users (isUserRule): they get the user, without a vendor. */
  ofUser?: {
    Query: Record<string, RootResolver<UserPrincipal>>
    Mutation: Record<string, RootResolver<UserPrincipal>>
  }
  /** Those of the rules of principals (isPrincipalRule): they get the credential's owner, without a vendor. */
  ofPrincipal?: { Query: Record<string, RootResolver<Principal>> }
}

/** Of one connection at a time; a dashboard follows a handful. */
const maxRunningSubscriptions = 50

/** The same resolvers, each behind its rule. Throws when one has none, or one of the other kind. */
export function guardRootFields (
  { Query, Mutation, Subscription, ofUser, ofPrincipal }: RootResolvers, { audit, table = rules }: { audit: AuditTrail, table?: RuleTable }
): Record<string, Record<string, unknown>> {
  return {
    Query: {
      ...guardEach('Query', Query, table, (resolve, rule) => resolverOf(callerBy(rule), resolve)),
      ...guardEach('Query', ofUser?.Query ?? {}, table, (resolve, rule) => resolverOf(userBy(rule), resolve), 'of-user'),
      ...guardEach('Query', ofPrincipal?.Query ?? {}, table, (resolve, rule) => resolverOf(principalBy(rule), resolve), 'of-principal')
    },
    Mutation: {
      ...guardEach('Mutation', Mutation, table, (resolve, rule) => resolverOf(callerBy(rule), onRecord(audit, resolve))),
      ...guardEach('Mutation', ofUser?.Mutation ?? {}, table, (resolve, rule) => resolverOf(userBy(rule), onRecord(audit, resolve)), 'of-user')
    },
    Subscription: guardEach('Subscription', Subscription, table, guardSubscriber)
  }
}

function guardEach<T> (
  type: keyof RuleTable, fields: Record<string, T>, table: RuleTable, guard: (resolver: T, rule: Rule) => unknown, whose: 'of-user' | 'of-principal' | 'at-vendor' = 'at-vendor'
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([field, resolver]) => {
    const rule = table[type][field]
    if (rule === undefined) throw new Error(`${type}.${field} has no access rule`)
    if (rootOf(rule) !== whose) throw new Error(`${type}.${field} must be among the resolvers of its rule, ${rule}`)
    return [field, guard(resolver, rule)]
  }))
}

const rootOf = (rule: Rule): 'of-user' | 'of-principal' | 'at-vendor' => {
  if (isPrincipalRule(rule)) return 'of-principal'
  return isUserRule(rule) ? 'of-user' : 'at-vendor'
}

type Admit<Root> = (args: object, context: MercuriusContext) => Promise<Root>

const callerBy = (rule: Rule): Admit<Caller> => async (args, context) => permitted(rule, await context.caller(vendorNamedIn(args)))

/** The same caller. Throws FORBIDDEN. */
function permitted (rule: Rule, caller: Caller): Caller {
  if (isInPerson(rule)) assertInPerson(caller)
  if (isAdminRule(rule)) assertAdmin(caller)
  else if (rule !== 'ANY_CREDENTIAL' && !isPrincipalRule(rule) && !isUserRule(rule)) assertPermitted(caller, rule)
  return caller
}

const principalBy = (rule: Rule): Admit<Principal> => async (_args, context) => {
  const principal = await context.principal()
  if (rule === 'OPERATOR' && !context.isOperator(principal)) throw forbidden('This is for whoever runs the service, signed in by its one-time link on the same machine', { reason: 'operator' })
  return principal
}

const userBy = (rule: Rule): Admit<UserPrincipal> => async (_args, context) => {
  const principal = await context.principal()
  if (isInPerson(rule)) assertInPerson(principal)
  if (principal.kind !== 'user') throw forbidden('This needs a user: an access token, or a user\'s API key', { reason: 'user' })
  return principal
}

/** Operations name their vendor in an argument of their own or in their input. */
function vendorNamedIn (args: { vendorId?: unknown, input?: unknown }): string | undefined {
  const { vendorId = (args.input as { vendorId?: unknown } | null | undefined)?.vendorId } = args
  return typeof vendorId === 'string' ? vendorId : undefined
}

const resolverOf = <Root>(admit: Admit<Root>, resolve: RootResolver<Root>) =>
  async (_root: unknown, args: never, context: MercuriusContext, info: GraphQLResolveInfo): Promise<unknown> =>
    await resolve(await toldOf(info.fieldName, args, context, admit), args, context, info)

/** Whoever is not admitted is told of (auth/refusals.ts). */
async function toldOf<Root> (action: string, args: object, context: MercuriusContext, admit: Admit<Root>): Promise<Root> {
  try {
    return await admit(args, context)
  } catch (error) {
    // One that is not authenticated has been told of already.
    const by = await context.principal().catch(() => null)
    if (by !== null) await context.app.refusals.operation(by, { action, vendorId: vendorNamedIn(args), target: targetIn(args) }, error, context.log)
    throw error
  }
}

function onRecord <Root extends Caller | UserPrincipal> (audit: AuditTrail, resolve: RootResolver<Root>): RootResolver<Root> {
  return async (by, args, context, info) => {
    const operation = async (): Promise<unknown> => await resolve(by, args, context, info)
    if (unauditedMutations.has(info.fieldName)) return await operation()
    const vendorIds = 'vendorId' in by ? [by.vendorId] : by.memberships.map(({ vendorId }) => vendorId)
    return await audit({ by: actorOf(by), vendorIds, action: info.fieldName, target: targetIn(args) }, operation, targetIn, relatedIn)
  }
}

/** Where arguments and results hold the id of what they are about. */
function targetIn (value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  const { id, _id, jobId, input, apiKey } = value as Record<string, unknown>
  return id ?? _id ?? jobId ?? targetIn(input ?? apiKey)
}

/** The integration keys in a result, which say of which vendor they are. */
function relatedIn (value: unknown, vendorId: string): string[] {
  const { madeKeys = [] } = (value ?? {}) as { madeKeys?: Array<{ _id: string, vendorId: string }> }
  return madeKeys.filter((key) => key.vendorId === vendorId).map(({ _id }) => _id)
}

/**
 * Refusals are thrown at the first event, not by `subscribe` itself: Mercurius logs those as failures of its own. Who may no longer
 * follow is told so before the next event, and within seconds when there is none.
 */
const guardSubscriber = (subscribe: RootSubscriber, rule: Rule) => ({
  subscribe: (_root: unknown, args: never, context: MercuriusContext, info: GraphQLResolveInfo) =>
    abortable(async function * (signal) {
      const { connection } = context
      if (connection !== undefined && connection.running >= maxRunningSubscriptions) {
        throw limitExceeded(`At most ${maxRunningSubscriptions} subscriptions may run over one connection`)
      }
      if (connection !== undefined) connection.running++
      const refused = new AbortController()
      let stopRechecks: (() => void) | undefined
      try {
        const caller = await toldOf(info.fieldName, args, context, callerBy(rule))
        // At the vendor that it began with: that the user has another by now changes nothing.
        const { vendorId } = caller
        stopRechecks = connection?.onRecheck((callerNow) => {
          try {
            permitted(rule, callerNow(vendorId))
          } catch (error) {
            refused.abort(error)
          }
        })
        for await (const value of subscribe(caller, args, context, info, AbortSignal.any([signal, refused.signal]))) {
          permitted(rule, await context.caller(vendorId))
          context.rows.reset()
          context.budget.reset()
          yield { [info.fieldName]: value }
        }
        refused.signal.throwIfAborted()
      } finally {
        stopRechecks?.()
        if (connection !== undefined) connection.running--
      }
    }, context.connection?.closed)
})
