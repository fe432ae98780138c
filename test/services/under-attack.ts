/** What must hold while a service is being attacked: it answers others, and its memory stays within bounds. */
import type { Test } from 'tap'
import type { ServiceProcess } from '../support/service-process.js'
import type { TestVendor } from '../support/vendor.js'

/** Resident memory in bytes, as the service itself tells it. */
export async function residentBytes ({ url }: ServiceProcess): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^process_resident_memory_bytes (\S+)/m.exec(text)?.[1])
}

export async function stillServes (t: Test, service: ServiceProcess, vendor: TestVendor, during: string): Promise<void> {
  t.equal((await fetch(`${service.url}/healthz`)).status, 200, `healthz: ${during}`)
  t.match(await vendor.graphql('{ products { totalCount } }'), { data: { products: { totalCount: Number } } }, `a query: ${during}`)
}

/** Above what it had before; the heap may grow by itself between two collections. */
export const allowedGrowthBytes = 300 * 1_024 * 1_024
