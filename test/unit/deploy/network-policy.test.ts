/** What the policies of deploy/kubernetes/ let through, as the cluster sees it: rules add up, and what none names is denied. */
import ipaddr from 'ipaddr.js'
import t from 'tap'
import { isPublicAddress } from '../../../src/pdf/public-address.js'
import { imageEnvironment, kubernetes, type Yaml } from './deployment.js'

const { resources } = await kubernetes()
const policies: Yaml[] = resources.filter(({ kind }) => kind === 'NetworkPolicy')
const workloads: Yaml[] = resources.filter(({ kind }) => ['Deployment', 'StatefulSet', 'Job'].includes(kind))
const config = resources.find(({ kind }) => kind === 'ConfigMap').data
const pods = workloads.map(({ spec }) => spec.template.metadata.labels as Record<string, string>)
const nameOf = (labels: Record<string, string>): string => String(labels['app.kubernetes.io/name'])

function selects ({ matchLabels = {}, matchExpressions = [] }: Yaml, labels: Record<string, string>): boolean {
  return Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, values }: Yaml) => values.includes(labels[key]))
}

interface Opening { peers: Yaml[], ports: number[] }

function openingsOf (labels: Record<string, string>, way: 'ingress' | 'egress'): Opening[] {
  return policies.filter(({ spec }) => selects(spec.podSelector, labels))
    .flatMap(({ spec }) => spec[way] ?? [])
    .map(({ from = [], to = [], ports = [] }: Yaml) => ({ peers: [...from, ...to], ports: ports.map(({ port }: Yaml) => port) }))
}

/** By their labels, addresses by their block. */
const peerNames = ({ peers }: Opening): string[] => peers.map(({ namespaceSelector, podSelector, ipBlock }) =>
  [...Object.values(namespaceSelector?.matchLabels ?? {}), ...Object.values(podSelector?.matchLabels ?? {}), ...ipBlock === undefined ? [] : [ipBlock.cidr]].join('/'))

const told = (openings: Opening[]): string[] => openings.map((opening) => `${peerNames(opening).join(' ') || 'anybody'} ${opening.ports.join()}`).sort()

t.test('every pod denies, both ways, what no rule names', (t) => {
  for (const labels of pods) {
    const types = policies.filter(({ spec }) => selects(spec.podSelector, labels)).flatMap(({ spec }) => spec.policyTypes)
    t.ok(types.includes('Ingress') && types.includes('Egress'), nameOf(labels))
  }
  t.end()
})

t.test('the API hears the ingress controller, SFTP anybody, and metrics are for the monitoring', async (t) => {
  const { OPS_PORT: ops } = await imageEnvironment()
  const heard = Object.fromEntries(pods.map((labels) => [nameOf(labels), told(openingsOf(labels, 'ingress'))]))
  t.strictSame(heard, {
    'catalog-api': ['ingress-nginx 4000', `monitoring ${ops}`],
    'catalog-worker': [`monitoring ${ops}`],
    'catalog-sftp': ['anybody 2222', `monitoring ${ops}`],
    'catalog-migrate': [`monitoring ${ops}`]
  })
})

t.test('a pod reaches what its addresses name, and workers the web for PDFs', (t) => {
  const kafka = `kafka ${config.KAFKA_BROKERS.split(':')[1]}`
  const all = ['kube-system/kube-dns 53,53', 'mongodb 27017']
  const reached = Object.fromEntries(pods.map((labels) => [nameOf(labels), told(openingsOf(labels, 'egress'))]))
  t.strictSame(reached, {
    'catalog-api': ['catalog-sftp 2222', kafka, ...all],
    'catalog-worker': ['0.0.0.0/0 2000::/3 80,443', 'catalog-sftp 2222', kafka, ...all],
    'catalog-sftp': all,
    'catalog-migrate': all
  })
  t.end()
})

t.test('the web that workers reach is public: no address that the service itself would refuse', (t) => {
  const blocks = policies.flatMap(({ spec }) => spec.egress ?? []).flatMap(({ to }: Yaml) => to ?? []).flatMap(({ ipBlock }: Yaml) => ipBlock ?? [])
  const inside = (address: string, cidr: string): boolean => {
    const parsed = ipaddr.parse(address)
    const [range, bits] = ipaddr.parseCIDR(cidr)
    return parsed.kind() === range.kind() && parsed.match(range, bits)
  }
  const isOpen = (address: string): boolean => blocks.some(({ cidr, except = [] }: Yaml) => inside(address, cidr) && !except.some((each: string) => inside(address, each)))
  const edges = [ipaddr.IPv4, ipaddr.IPv6].flatMap(specialRanges).flatMap(([range, bits]) => edgesOf(range, bits))
  t.ok(edges.length > 60)
  for (const address of [...edges, '168.63.129.16']) t.equal(isOpen(address), isPublicAddress(address), address)
  for (const address of ['1.1.1.1', '93.184.216.34', '2606:4700::1111']) t.ok(isOpen(address), address)
  t.end()
})

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number]

/** All that ipaddr.js knows of; its types do not. */
function specialRanges (kind: typeof ipaddr.IPv4 | typeof ipaddr.IPv6): Range[] {
  const { SpecialRanges: named } = kind.prototype as unknown as { SpecialRanges: Record<string, Range | Range[]> }
  return Object.values(named).flatMap((ranges) => (Array.isArray(ranges[0]) ? ranges : [ranges]) as Range[])
}

/** The first and the last address of a range. */
function edgesOf (range: ipaddr.IPv4 | ipaddr.IPv6, bits: number): string[] {
  const first = range.toByteArray()
  const last = first.map((byte, index) => byte | (0xff >> Math.min(8, Math.max(0, bits - index * 8))))
  return [first, last].map((bytes) => ipaddr.fromByteArray(bytes).toString())
}
