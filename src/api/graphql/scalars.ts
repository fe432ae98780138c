/** The schema's own scalars. */
import { GraphQLError, GraphQLScalarType, Kind } from 'graphql'
import { GraphQLJSON } from 'graphql-scalars'
import type { Fault } from '../../domain/issue.js'
import { dateTime } from '../../domain/reader.js'

/**
 * In: ISO 8601 text, checked by the rule that imports follow and handed on as it was sent, because their stages read it
 * themselves. Out: ISO 8601, UTC, milliseconds.
 */
const DateTime = new GraphQLScalarType<string, string>({
  name: 'DateTime',
  serialize (value) {
    if (value instanceof Date) return value.toISOString()
    throw new TypeError('DateTime can only be served from a Date')
  },
  parseValue: check,
  parseLiteral: (node) => check(node.kind === Kind.STRING ? node.value : undefined)
})

function check (value: unknown): string {
  const faults: Fault[] = []
  dateTime(value, faults)
  if (typeof value !== 'string' || faults.length > 0) {
    throw new GraphQLError('DateTime must be an ISO 8601 date and time with a zone, or a date')
  }
  return value
}

export const scalars = { DateTime, JSON: GraphQLJSON }
