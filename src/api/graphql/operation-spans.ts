/** The span of each operation, below that of its request. Its document and variables are its sender's, and stay out of it. */
import type { FastifyInstance } from 'fastify'
import { getOperationAST, Kind, type OperationDefinitionNode } from 'graphql'
import type { MercuriusContext } from 'mercurius'
import type { Span } from '../../tracing/span.js'

const maxNameLength = 64
/** Keys are names to GraphQL as well. */
const keyPrefix = 'svc_'

/** Of those that are executed: to be called when all hooks are there that may refuse one. */
export function traceOperations (app: FastifyInstance, nameIn: (context: MercuriusContext) => string | null | undefined): void {
  app.graphql.addHook('preExecution', async (_schema, document, context) => {
    const operation = getOperationAST(document, nameIn(context))
    if (operation !== null && operation !== undefined) context.span = beginSpan(context.span, operation)
  })
  app.graphql.addHook('onResolution', async ({ errors = [] }, { span, reply }) => {
    if (span === reply.request.span) return
    if (errors.length > 0) span.set({ 'graphql.errors': errors.length })
    span.end()
  })
}

/** The document has been checked against the schema: its first field is one of ours. */
function beginSpan (request: Span, { operation: type, name, selectionSet: { selections: [first] } }: OperationDefinitionNode): Span {
  const field = first?.kind === Kind.FIELD ? ` ${first.name.value}` : ''
  const isTold = name !== undefined && !name.value.startsWith(keyPrefix)
  return request.child(`${type}${field}`, {
    attributes: {
      'graphql.operation.type': type,
      ...isTold ? { 'graphql.operation.name': name.value.slice(0, maxNameLength) } : {}
    }
  })
}
