/** The span of an operation, below that of its request. Its document and variables are its sender's, and stay out of it. */
import { Kind, type OperationDefinitionNode } from 'graphql'
import type { Span } from '../../tracing/span.js'

const maxNameLength = 64
/** Keys are names to GraphQL as well. */
const keyPrefix = 'svc_'

/** For a document that has been checked against the schema: its first field is one of ours. */
export function beginOperationSpan (request: Span, { operation: type, name, selectionSet: { selections: [first] } }: OperationDefinitionNode): Span {
  const field = first?.kind === Kind.FIELD ? ` ${first.name.value}` : ''
  const isTold = name !== undefined && !name.value.startsWith(keyPrefix)
  return request.child(`${type}${field}`, {
    attributes: {
      'graphql.operation.type': type,
      ...isTold ? { 'graphql.operation.name': name.value.slice(0, maxNameLength) } : {}
    }
  })
}

/** `errors`: how many the answer has. */
export function endOperationSpan (span: Span, errors: number): void {
  if (errors > 0) span.set({ 'graphql.errors': errors })
  span.end()
}
