/** Resolvers of size charts (interface.md, "GraphQL: size charts"; decisions.md, "Size charts"). */
import type { Logger } from 'pino'
import { PdfRefused, wordConversionFailure } from '../../../domain/conversion-failure.js'
import { readDraft, readIdentity, readUpdate, shownBody, type KeptPdf, type SizeChartDraft, type SizeChartRecord } from '../../../domain/size-chart.js'
import { badInput, conflict, isAppError, limitExceeded } from '../../../errors.js'
import type { Wake } from '../../../jobs/import-queue.js'
import type { Repositories } from '../../../store/repositories.js'
import type { BulkOutcome } from '../../../store/size-charts/size-charts.js'
import type { Span } from '../../../tracing/span.js'
import { pdfPath } from '../../rest/size-chart-pdfs.js'
import { sizeChartCursor } from '../cursors.js'
import type { MutationResolvers, QueryResolvers, SizeChartResolvers } from '../generated.js'
import { pageSize } from '../limits/page-size.js'
import type { UploadedFile } from '../uploads.js'

const maxBulk = 5_000
/** The upload plugin's own word for a file that ran over its limit before anyone had begun to read it. */
const payloadTooLarge = 413
const chartPage = { min: 1, max: 100, default: 50 }

interface Dependencies {
  repositories: Pick<Repositories, 'sizeCharts' | 'sizeChartPdfs'>
  wakeConversion: Wake
  log: Pick<Logger, 'warn'>
}

export function createSizeChartResolvers ({ repositories: { sizeCharts, sizeChartPdfs }, wakeConversion, log }: Dependencies) {
  const Query = {
    async sizeCharts ({ vendorId }, { first: wanted, cursor }, { rows }) {
      const first = pageSize(wanted, chartPage)
      rows.take('node', first)
      const after = cursor === undefined || cursor === null ? null : sizeChartCursor.decode(cursor)
      const { nodes, hasNextPage } = await sizeCharts.page(vendorId, { first, after })
      const last = nodes.at(-1)
      return {
        nodes,
        hasNextPage,
        endCursor: last === undefined ? null : sizeChartCursor.encode(last.externalId),
        totalCount: async () => await sizeCharts.count(vendorId)
      }
    },

    async sizeChart ({ vendorId }, { id, externalId }) {
      const byId = id !== undefined && id !== null
      const byExternalId = externalId !== undefined && externalId !== null
      if (byId === byExternalId) throw badInput('Provide exactly one of id and externalId')
      if (byId) return await sizeCharts.find(vendorId, id)
      return byExternalId ? await sizeCharts.findByExternalId(vendorId, externalId) : null
    }
  } satisfies QueryResolvers

  const Mutation = {
    async createSizeChart ({ vendorId }, { input }, { span }) {
      return wakeFor(await sizeCharts.create(vendorId, readDraft(input)), span)
    },

    async updateSizeChart ({ vendorId }, { id, input }, { span }) {
      const { chart, released } = await sizeCharts.update(vendorId, id, readUpdate(input))
      await discard(released)
      return wakeFor(chart, span)
    },

    async deleteSizeChart ({ vendorId }, { id }) {
      await discard((await sizeCharts.delete(vendorId, id)).released)
      return true
    },

    async bulkUpsertSizeCharts ({ vendorId }, { input: { sizeCharts: entries } }, { rows, span }) {
      checkBulk(entries, 'sizeCharts')
      rows.take('upsert', entries.length)
      const drafts = entries.map((entry, index) => readDraft(entry, `sizeCharts[${index}].`))
      const { created, updated, released } = await sizeCharts.upsertAll(vendorId, drafts)
      await discard(released)
      // One hint is enough for all: the worker looks for whatever of the vendor waits.
      if (drafts.some(({ origin }) => 'sourceUrl' in origin)) wakeConversion(vendorId, 'bulk', span)
      return { created, updated, total: created + updated }
    },

    async bulkDeleteSizeCharts ({ vendorId }, { input: { externalIds } }, { rows }) {
      checkBulk(externalIds, 'externalIds')
      rows.take('upsert', externalIds.length)
      const total = new Set(externalIds).size
      const { deleted, released } = await sizeCharts.deleteAll(vendorId, externalIds)
      await discard(released)
      return { deleted, notFound: total - deleted, total }
    },

    async uploadSizeChartPdf ({ vendorId }, { externalId, name, file }, { span }) {
      const identity = readIdentity({ externalId, name })
      const upload = await file
      const replaced = (await sizeCharts.findByExternalId(vendorId, externalId))?.pdf ?? null
      const pdf = await keepUpload(vendorId, upload, replaced)
      // Its original is there before the chart that points to it.
      const { released } = await upsertUploaded(vendorId, { ...identity, origin: { pdf } })
      await discard(released)
      const chart = await sizeCharts.findByExternalId(vendorId, externalId)
      if (chart === null) throw conflict('The size chart was deleted while its PDF was being uploaded')
      return wakeFor(chart, span)
    }
  } satisfies MutationResolvers

  const SizeChart = {
    id: (chart) => chart._id,
    body: shownBody,
    conversionError: ({ failure }) => failure === null ? null : wordConversionFailure(failure),
    pdfUrl: (chart, _args, { origin }) => pdfUrlOf(chart, origin)
  } satisfies SizeChartResolvers

  function wakeFor (chart: SizeChartRecord, span: Span): SizeChartRecord {
    if (chart.status === 'PENDING') wakeConversion(chart.vendorId, chart._id, span)
    return chart
  }

  async function upsertUploaded (vendorId: string, draft: SizeChartDraft & { origin: { pdf: KeptPdf } }): Promise<BulkOutcome> {
    try {
      return await sizeCharts.upsertAll(vendorId, [draft])
    } catch (error) {
      // A refusal has left no chart. After anything else there may be one, with this original.
      if (isAppError(error) && error.kind === 'request') await discard([draft.origin.pdf.fileId])
      throw error
    }
  }

  async function keepUpload (vendorId: string, file: UploadedFile, replaced: KeptPdf | null): Promise<KeptPdf> {
    try {
      return await sizeChartPdfs.write(vendorId, file.createReadStream(), replaced)
    } catch (error) {
      if (error instanceof PdfRefused && error.failure.code === 'over-quota') throw limitExceeded(error.message)
      if (error instanceof PdfRefused) throw badInput(error.message, 'file')
      if ((error as { statusCode?: unknown }).statusCode === payloadTooLarge) throw badInput(wordConversionFailure({ code: 'too-large' }), 'file')
      throw error
    }
  }

  /** Originals that nothing points to any more. Whatever is left, the worker's sweep removes. */
  async function discard (released: string[]): Promise<void> {
    await sizeChartPdfs.remove(released).catch((error: unknown) => { log.warn({ err: error }, 'originals were not removed; the sweep will') })
  }

  return { Query, Mutation, SizeChart }
}

/** Where a person can open the original; null where there is none. */
export const pdfUrlOf = ({ _id, source, sourceUrl, pdf }: SizeChartRecord, origin: string): string | null =>
  source === 'PDF' ? sourceUrl ?? (pdf === null ? null : `${origin}${pdfPath(_id)}`) : null

function checkBulk (entries: readonly unknown[], field: string): void {
  if (entries.length > maxBulk) throw badInput(`${field} must be at most ${maxBulk}`, `input.${field}`)
}
