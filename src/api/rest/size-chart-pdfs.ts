/**
 * GET /api/v1/size-charts/:id/pdf: the original of a size chart, for the customers whom the assistant links to it. They have no
 * credentials; the id is 128 random bits (decisions.md, "Size charts"). What a stranger uploaded is never more than a PDF here:
 * no sniffing, no scripts, and of no origin. Nobody frames it but the console, which shows it beside its markdown.
 */
import type { FastifyInstance } from 'fastify'
import { notFound } from '../../errors.js'
import type { Repositories } from '../../store/repositories.js'

export const pdfPath = (id: string): string => `/api/v1/size-charts/${id}/pdf`

interface OfChart { Params: { id: string } }

export function registerSizeChartPdfRoutes (app: FastifyInstance, { sizeCharts, sizeChartPdfs }: Pick<Repositories, 'sizeCharts' | 'sizeChartPdfs'>): void {
  app.get<OfChart>(pdfPath(':id'), async (request, reply) => {
    const pdf = await sizeCharts.findPdf(request.params.id)
    if (pdf === null) throw notFound('There is no such PDF')
    const etag = `"${pdf.sha256}"`
    reply.headers({
      etag,
      // The chart's PDF may be replaced at any time; asking costs one look-up.
      'cache-control': 'private, no-cache',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'self'",
      // The same, for browsers that do not know frame-ancestors.
      'x-frame-options': 'SAMEORIGIN',
      // A merchant's shop links to it from another site.
      'cross-origin-resource-policy': 'cross-origin'
    })
    if (request.headers['if-none-match'] === etag) return await reply.code(304).send()
    reply.headers({ 'content-type': 'application/pdf', 'content-length': pdf.bytes, 'content-disposition': 'inline; filename="size-chart.pdf"' })
    return await reply.send(sizeChartPdfs.stream(pdf))
  })
}
