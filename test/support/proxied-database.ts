/** A test's own database behind a proxy, by which it goes away and comes back. */
import type { Test } from 'tap'
import { startTcpProxy, type TcpProxy } from './tcp-proxy.js'

/** Direct: the driver must not find its way around the proxy. */
export async function proxiedDatabase (t: Test, url: string): Promise<{ proxy: TcpProxy, url: string }> {
  const address = new URL(url.replace(/^mongodb:/, 'http:'))
  const proxy = await startTcpProxy(t, { host: address.hostname, port: Number(address.port) })
  address.hostname = '127.0.0.1'
  address.port = String(proxy.port)
  address.searchParams.delete('replicaSet')
  address.searchParams.set('directConnection', 'true')
  return { proxy, url: address.href.replace(/^http:/, 'mongodb:') }
}
