/** The REST form of product import (interface.md, "REST: product import"). Who may call it: auth/rules.ts. */
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Caller } from '../../domain/access.js'
import { actorOf } from '../../domain/audit.js'
import { wordFaultForRest, wordIssue } from '../../domain/issue.js'
import type { ImportJob } from '../../domain/import-job.js'
import type { AuditTrail } from '../../store/access/audit-trail.js'
import { notFound } from '../../errors.js'
import { pulledFor } from '../../store/reads/reader.js'
import type { Authenticator } from '../auth/authenticator.js'
import { callerOf } from '../auth/request-credentials.js'
import type { AppDependencies } from '../dependencies.js'
import { toJsonLines } from './issue-lines.js'
import { readStartImportBody } from './import-request.js'

/** The rest of them: GET …/errors. */
const maxErrorDetails = 1_000

interface Dependencies extends Pick<AppDependencies, 'repositories' | 'importQueue'> {
  authenticator: Authenticator
  audit: AuditTrail
}

interface OfJob { Params: { jobId: string } }

export function registerProductImportRoutes (app: FastifyInstance, { repositories, importQueue, authenticator, audit }: Dependencies): void {
  const { importJobs, importIssues } = repositories

  async function jobOf ({ vendorId }: Caller, jobId: string): Promise<ImportJob> {
    const job = await importJobs.find(vendorId, jobId)
    if (job === null) throw notFound('No such import job')
    return job
  }

  app.post('/api/v1/products/import', async (request, reply) => {
    const caller = await callerOf(authenticator, request, reply)
    const { vendorId } = caller
    const { request: wanted, idempotencyKey } = readStartImportBody(request.body)
    // Under the name that the same operation has in GraphQL.
    const { _id: jobId, status, mode } = await audit(
      { by: actorOf(caller), vendorIds: [vendorId], action: 'processProductImport', target: null },
      async () => await importQueue.start(vendorId, wanted, idempotencyKey, { startedBy: actorOf(caller), span: request.span }),
      ({ _id }) => _id
    )
    return await reply.code(202).send({ success: true, jobId, status, mode })
  })

  app.get<OfJob>('/api/v1/products/import/:jobId', async (request, reply) => {
    const job = await jobOf(await callerOf(authenticator, request, reply), request.params.jobId)
    const errors = await importIssues.list(job.vendorId, job._id, 'error', maxErrorDetails, job.files.length)
    return {
      success: true,
      jobId: job._id,
      status: job.status,
      mode: job.mode,
      stats: job.stats,
      errorDetails: errors.map((issue) => (
        { line: issue.line, externalId: issue.externalId, message: wordIssue(issue, wordFaultForRest) }
      )),
      completedAt: job.completedAt
    }
  })

  // No HEAD beside it: that would read a million issues to throw them away.
  app.get<OfJob>('/api/v1/products/import/:jobId/errors', { exposeHeadRoute: false }, async (request, reply) => {
    const job = await jobOf(await callerOf(authenticator, request, reply), request.params.jobId)
    const lines = Readable.from(pulledFor(request.reader, toJsonLines(importIssues.stream(job.vendorId, job._id))), { objectMode: false })
    return await reply.type('application/x-ndjson').send(lines)
  })
}
