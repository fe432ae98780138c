/** What the demo asks the service over GraphQL. */
import { CliError } from './cli-error.js'
import type { ImportApi } from './import-api.js'

export interface ShownProduct {
  externalId: string
  name: string
  brandName: string
  visibility: string
  variants: Array<{ externalId: string, name: string, inventory: number | null, prices: Array<{ price: number, currency: string }> }>
}

export async function findProduct (api: ImportApi, externalId: string): Promise<ShownProduct> {
  const { product } = await api.query<{ product: ShownProduct | null }>(
    `query ($externalId: String!) {
      product(externalId: $externalId) {
        externalId name brandName visibility
        variants { externalId name inventory prices { price currency } }
      }
    }`, { externalId }
  )
  if (product === null) throw new CliError(`GraphQL knows no product ${externalId}`)
  return product
}

export async function countLiveProducts (api: ImportApi): Promise<number> {
  const { products } = await api.query<{ products: { totalCount: number } }>('{ products(archived: false, first: 1) { totalCount } }', {})
  return products.totalCount
}

/** From the start of processing to the end, by the service's own clock. */
export async function importDurationMs (api: ImportApi, jobId: string): Promise<number> {
  const { productImportJob: job } = await api.query<{ productImportJob: { startedAt: string, completedAt: string } }>(
    'query ($jobId: ID!) { productImportJob(jobId: $jobId) { startedAt completedAt } }', { jobId }
  )
  return Date.parse(job.completedAt) - Date.parse(job.startedAt)
}
