import { GraphQLError, type GraphQLFormattedError } from 'graphql'

/** An error that serialises to exactly what the mapper says: Mercurius wants an Error where it sends one. */
export function asGraphqlError (told: GraphQLFormattedError): GraphQLError {
  const error = new GraphQLError(told.message)
  error.toJSON = () => told
  return error
}
