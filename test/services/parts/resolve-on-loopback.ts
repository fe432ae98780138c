/**
 * For `--import` into a process under test, and each of its threads: DNS is asked of the server at `TEST_DNS` (loopback-dns), and hosts below `catalog.test` are on this machine, as a company's
 * resolver would say. A resolver is the whole machine's otherwise.
 */
import dns, { type LookupAddress, type LookupOptions } from 'node:dns'

type Found = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void

const { TEST_DNS: server } = process.env
if (server !== undefined) {
  dns.setServers([server])
  const lookup = dns.lookup as unknown as (host: string, options: LookupOptions, found: Found) => void
  const onLoopback = (host: string, options: LookupOptions, found: Found): void => {
    if (!host.endsWith('.catalog.test')) lookup(host, options, found)
    else if (options.all === true) process.nextTick(found, null, [{ address: '127.0.0.1', family: 4 }])
    else process.nextTick(found, null, '127.0.0.1', 4)
  }
  Object.assign(dns, { lookup: onLoopback })
}
