/** The context of an operation that came over HTTP. One is made for each request, so it finds out nothing before it is asked. */
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller, Principal } from '../../domain/access.js'
import type { Span } from '../../tracing/span.js'
import { callerAt } from '../auth/access.js'
import type { Authenticator } from '../auth/authenticator.js'
import { isOperator } from '../auth/operator.js'
import { principalOf, vendorHeaderIn } from '../auth/request-credentials.js'
import type { GraphqlContext } from './context.js'
import { createAnswerBudget, type AnswerBounds, type AnswerBudget } from './limits/answer-budget.js'
import { createRowBudget } from './limits/row-budget.js'

export interface RequestContextOptions {
  authenticator: Authenticator
  operatorId: string | null
  bounds: AnswerBounds
  originOf: (request: FastifyRequest) => string
}

export class RequestContext implements GraphqlContext {
  readonly rows = createRowBudget()
  readonly budget: AnswerBudget
  span: Span

  constructor (private readonly options: RequestContextOptions, private readonly request: FastifyRequest, readonly reply: FastifyReply) {
    const budget = createAnswerBudget(options.bounds)
    this.budget = budget
    this.span = request.span
    request.reader.take = (bytes) => { budget.take('bytes', bytes) }
  }

  // Resolvers take these from the context, and call them by themselves.
  readonly principal = async (): Promise<Principal> => await principalOf(this.options.authenticator, this.request, this.reply)

  readonly caller = async (argument?: string): Promise<Caller> => {
    const caller = callerAt(await principalOf(this.options.authenticator, this.request, this.reply), { argument, header: vendorHeaderIn(this.request) })
    this.request.reader.owner = caller.vendorId
    return caller
  }

  readonly isOperator = (principal: Principal): boolean => isOperator(principal, this.request, this.options.operatorId)

  get origin (): string {
    return this.options.originOf(this.request)
  }

  get log (): FastifyBaseLogger {
    return this.request.log
  }
}
