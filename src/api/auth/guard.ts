/**
 * Puts every root field behind its access rule (auth/rules.ts). Root resolvers get the caller in place of a root value,
 * so none can run without one. Nested fields need no rule: they only read what their root field has handed down.
 */
import type { GraphQLResolveInfo } from 'graphql'
import type { MercuriusContext } from 'mercurius'
import type { Caller } from '../../domain/access.js'
import { limitExceeded } from '../../errors.js'
import { abortable } from '../graphql/abortable.js'
import { assertPermitted } from './access.js'
import { rules, type Rule, type RuleTable } from './rules.js'

/** `never`: each has arguments of its own, which graphql-js has checked against the schema. */
type RootResolver = (caller: Caller, args: never, context: MercuriusContext, info: GraphQLResolveInfo) => unknown
type RootSubscriber = (
  caller: Caller, args: never, context: MercuriusContext, info: GraphQLResolveInfo, signal: AbortSignal
) => AsyncGenerator<unknown>

interface RootResolvers {
  Query: Record<string, RootResolver>
  Mutation: Record<string, RootResolver>
  /** Generators that end soon after `signal` is aborted. */
  Subscription: Record<string, RootSubscriber>
}

/** Of one connection at a time; a dashboard follows a handful. */
const maxRunningSubscriptions = 50

/** The same resolvers, each behind its rule. Throws when one has none. */
export function guardRootFields (resolvers: RootResolvers, table: RuleTable = rules): Record<string, Record<string, unknown>> {
  return {
    Query: guardEach('Query', resolvers.Query, table, guardResolver),
    Mutation: guardEach('Mutation', resolvers.Mutation, table, guardResolver),
    Subscription: guardEach('Subscription', resolvers.Subscription, table, guardSubscriber)
  }
}

function guardEach<T> (
  type: keyof RuleTable, fields: Record<string, T>, table: RuleTable, guard: (resolver: T, rule: Rule) => unknown
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([field, resolver]) => {
    const rule = table[type][field]
    if (rule === undefined) throw new Error(`${type}.${field} has no access rule`)
    return [field, guard(resolver, rule)]
  }))
}

async function callerBy (rule: Rule, context: MercuriusContext): Promise<Caller> {
  const caller = await context.caller()
  if (rule !== 'ANY_CREDENTIAL') assertPermitted(caller, rule)
  return caller
}

const guardResolver = (resolve: RootResolver, rule: Rule) =>
  async (_root: unknown, args: never, context: MercuriusContext, info: GraphQLResolveInfo): Promise<unknown> =>
    await resolve(await callerBy(rule, context), args, context, info)

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
        const caller = await callerBy(rule, context)
        for await (const value of subscribe(caller, args, context, info, signal)) {
          await callerBy(rule, context)
          context.rows.reset()
          yield { [info.fieldName]: value }
        }
      } finally {
        if (connection !== undefined) connection.running--
      }
    }, context.connection?.closed)
})
