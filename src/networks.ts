/** Addresses and networks of strangers. */
import { BlockList, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'
import { createBoundedMap } from './domain/bounded-map.js'

/** Whether an address is one of these, or in one of these networks (CIDR). */
export function createNetworks (networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', prefix] = network.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (prefix === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(prefix), family)
  }
  // An IPv4 address that a socket for both kinds has written as IPv6 is looked up as what it is.
  return (address) => list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

/** What counts as one source: an IPv4 address; of an IPv6 address its /64 network, which is what one customer has at the least. */
export function sourceOf (address: string): string {
  const known = sources.get(address)
  if (known !== undefined) return known
  const source = readSource(address)
  sources.set(address, source)
  return source
}

/** Who sends one request sends others; each is asked for several times. */
const sources = createBoundedMap<string, string>(1_000)

function readSource (address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv4' ? parsed.toString() : parsed.toByteArray().slice(0, 8).join('.')
}
