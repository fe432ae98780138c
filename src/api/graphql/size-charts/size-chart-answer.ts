/** What the assistant says of sizes (interface.md, "Assistant behaviour tied to data"): the chart's markdown, or for a chart that has none now the original PDF, and why. */
import type { Product } from '../../../domain/product.js'
import { noticeOf, shownBody, type SizeChartNotice, type SizeChartRecord } from '../../../domain/size-chart.js'
import { badInput } from '../../../errors.js'
import type { Repositories } from '../../../store/repositories.js'
import { vendorOf } from '../../auth/access.js'
import type { QueryResolvers } from '../generated.js'
import { pdfUrlOf } from './size-charts.js'

const wordings: Record<SizeChartNotice, string> = {
  CONVERTING: 'This size chart is new and is still being read.',
  NEWER_VERSION_CONVERTING: 'A newer version of this size chart is still being read.',
  CONVERSION_FAILED: 'This size chart could not be read.'
}

export function createSizeChartAnswerResolvers ({ products, links, sizeCharts }: Pick<Repositories, 'products' | 'links' | 'sizeCharts'>) {
  const Query = {
    async sizeChartAnswer (caller, { vendorId: named, productExternalId, name }, { origin }) {
      const vendorId = vendorOf(caller, named)
      const asked = { product: productExternalId ?? null, name: name ?? null }
      if (asked.product === null && asked.name === null) throw badInput('Provide productExternalId or name')
      const chart = (asked.product === null ? null : await chartOfProduct(vendorId, asked.product)) ??
        (asked.name === null ? null : await chartByName(vendorId, asked.name))
      if (chart === null) return { kind: 'NONE', body: null, pdfUrl: null, sizeChart: null, notice: null, message: null }
      const [body, pdfUrl, notice] = [shownBody(chart), pdfUrlOf(chart, origin), noticeOf(chart)]
      const message = notice === null ? null : `${wordings[notice]}${pdfUrl === null ? '' : ' Its PDF has the sizes.'}`
      return { kind: body !== null ? 'BODY' : pdfUrl !== null ? 'PDF_LINK' : 'NONE', body, pdfUrl, sizeChart: chart, notice, message }
    }
  } satisfies QueryResolvers

  /** Its own, or else the first one that a variant has. An archived product is out of the assistant's sight. */
  async function chartOfProduct (vendorId: string, externalId: string): Promise<SizeChartRecord | null> {
    const product = await products.findByExternalId(vendorId, externalId)
    if (product === null || product.archived) return null
    const ids = chartIdsOf(product)
    const found = await links.sizeCharts(vendorId, ids)
    return ids.map((id) => found.get(id)).find((chart) => chart !== undefined) ?? null
  }

  /** People say a chart's name, systems its external id or id. */
  const chartByName = async (vendorId: string, name: string): Promise<SizeChartRecord | null> =>
    await sizeCharts.findByName(vendorId, name) ?? await sizeCharts.findByExternalId(vendorId, name) ?? await sizeCharts.find(vendorId, name)

  return { Query }
}

const chartIdsOf = ({ sizeChartId, variants }: Product): string[] =>
  [...new Set([sizeChartId, ...variants.map((variant) => variant.sizeChartId)])].filter((id) => id !== null)
