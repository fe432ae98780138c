/** Which addresses are on the public internet, in every notation that a resolver or a URL can come up with. */
import ipaddr from 'ipaddr.js'

/** Addresses of cloud hosts' own services that lie, of all places, in public ranges. */
const cloudServices = new Set(['168.63.129.16'])
/** Everything that is handed out as global unicast; ipaddr.js calls the rest of the unassigned space unicast as well. */
const globalUnicast = ipaddr.parseCIDR('2000::/3')

/** `address` as text, IPv4 or IPv6. Addresses that carry an IPv4 one inside are judged by it where routers would unpack it, else refused. */
export function isPublicAddress (address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  // IPv4-mapped IPv6 becomes IPv4. NAT64, 6to4 and Teredo have ranges of their own, so they are no unicast.
  const parsed = ipaddr.process(address)
  if (parsed.range() !== 'unicast' || cloudServices.has(parsed.toString())) return false
  return parsed.kind() === 'ipv4' || parsed.match(globalUnicast)
}
