import { join } from 'node:path'
import t, { type Test } from 'tap'
import { loadConfig } from '../../../src/config.js'
import { createNetworks } from '../../../src/networks.js'
import { workerFlags } from '../../support/service-flags.js'
import { imageEnvironment, isConfigured, kubernetes, secrets, withMountedSecrets, type Yaml } from './deployment.js'

const { resources } = await kubernetes()
const of = (kind: string): Yaml[] => resources.filter((resource) => resource.kind === kind)
const named = (kind: string, name: string): Yaml => of(kind).find(({ metadata }) => metadata.name === name)
const workloads = [...of('Deployment'), ...of('StatefulSet')]
const imageEnv = await imageEnvironment()

function environmentOf ({ envFrom = [], env = [] }: Yaml): Record<string, string> {
  const maps = envFrom.map(({ configMapRef }: Yaml) => named('ConfigMap', configMapRef.name).data)
  const own = env.map(({ name, value, valueFrom }: Yaml) => [name, value ??
    named('ConfigMap', valueFrom.configMapKeyRef.name).data[valueFrom.configMapKeyRef.key]])
  return Object.assign({}, imageEnv, ...maps, Object.fromEntries(own))
}

/** Of the secret `catalog`, what a container finds where. */
const secretsMounted = ({ volumes, containers: [container] }: Yaml): Map<string, string> => new Map(volumes.filter(({ secret }: Yaml) => secret?.secretName === 'catalog')
  .flatMap(({ name, secret }: Yaml) => secret.items.map(({ key, path }: Yaml) => [join(container.volumeMounts.find((mount: Yaml) => mount.name === name).mountPath, path), key])))

const environmentIn = (t: Test, pod: Yaml): Record<string, string> => withMountedSecrets(t, environmentOf(pod.containers[0]), secretsMounted(pod))

t.test('API, worker and SFTP are workloads of their own', (t) => {
  t.strictSame(workloads.map(({ spec }) => environmentOf(spec.template.spec.containers[0])['ROLES']), ['api', 'worker', 'sftp'])
  t.end()
})

t.test('only the worker is started in a way of its own, the one that tests and benches use', (t) => {
  const commands = workloads.map(({ metadata, spec }) => [metadata.name, spec.template.spec.containers[0].command])
  t.strictSame(commands.filter(([, command]) => command !== undefined), [['catalog-worker', ['node', ...workerFlags, 'dist/src/bin/serve.js']]])
  t.end()
})

for (const { metadata: { name }, spec: { selector, template } } of workloads) {
  const pod = template.spec
  const [container, ...others] = pod.containers
  t.test(`${name}: the environment is whole and right, and ports and probes go with it`, (t) => {
    t.strictSame(others, [])
    const config = isConfigured(t, name, environmentIn(t, pod))
    const ports = Object.fromEntries(container.ports.map(({ name, containerPort }: Yaml) => [name, containerPort]))
    t.strictSame(ports, {
      ops: config.opsPort,
      ...config.roles.has('api') ? { http: config.port } : {},
      ...config.roles.has('sftp') ? { sftp: config.sftpPort } : {}
    })
    t.match(container.livenessProbe.httpGet, { path: '/healthz', port: 'ops' })
    t.match(container.readinessProbe.httpGet, { path: '/readyz', port: 'ops' })
    t.equal(template.metadata.annotations['prometheus.io/port'], String(config.opsPort))
    t.end()
  })

  t.test(`${name}: secrets come as files, and no others than are read`, (t) => {
    t.strictSame(container.env.filter(({ name, valueFrom }: Yaml) => Object.hasOwn(secrets, name) || valueFrom?.secretKeyRef !== undefined), [])
    t.strictSame([...secretsMounted(pod).keys()], Object.entries(environmentOf(container)).filter(([name]) => Object.hasOwn(secrets, name.replace(/_FILE$/, ''))).map(([, path]) => path))
    for (const { data } of of('ConfigMap')) t.strictSame(Object.keys(data).filter((key) => Object.hasOwn(secrets, key)), [])
    t.strictSame(of('Secret'), [], 'none is in the repository')
    t.end()
  })

  t.test(`${name}: every file that it is told of is mounted, and every mount is a volume`, (t) => {
    const volumes = new Set([...pod.volumes, ...(named('StatefulSet', name)?.spec.volumeClaimTemplates ?? [])
      .map(({ metadata }: Yaml) => metadata)].map((volume: Yaml) => volume.name))
    for (const mount of container.volumeMounts) t.ok(volumes.has(mount.name), mount.name)
    const sftp = '/var/lib/catalog/sftp'
    const { SFTP_PRIVATE_KEY_FILE: key = `${sftp}/service_key`, SFTP_KNOWN_HOSTS_FILE: knownHosts = `${sftp}/known_hosts`, DATA_DIR: data = '' } = environmentOf(container)
    for (const path of [key, knownHosts, data, '/tmp']) t.ok(container.volumeMounts.some(({ mountPath }: Yaml) => path.startsWith(mountPath)), path)
    t.end()
  })

  t.test(`${name}: it may drain, may not become root, writes nowhere but to its volumes, and is bounded in memory`, (t) => {
    t.ok(pod.terminationGracePeriodSeconds > 30)
    t.match(pod.securityContext, { runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000, seccompProfile: { type: 'RuntimeDefault' } })
    t.match(pod, { automountServiceAccountToken: false, enableServiceLinks: false, hostNetwork: undefined, hostPID: undefined, hostIPC: undefined })
    const kinds = pod.volumes.map(({ name: _, ...source }: Yaml) => Object.keys(source).join())
    t.strictSame(kinds.filter((kind: string) => !['emptyDir', 'secret'].includes(kind)), [], 'nothing of the node is mounted')
    t.match(container.securityContext, { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } })
    t.ok(container.resources.limits.memory)
    t.ok(container.resources.requests.cpu)
    t.end()
  })

  t.test(`${name}: its selector finds its own pods`, (t) => {
    t.strictSame(selector.matchLabels, template.metadata.labels)
    t.end()
  })
}

t.test('a job of the same image brings the database up to date, in the bounds that the others have', (t) => {
  const [job, ...others] = of('Job')
  const { containers: [container], ...pod } = job.spec.template.spec
  t.strictSame(others, [])
  t.strictSame(container.command, ['node', 'dist/src/bin/catalog.js', 'migrate'])
  t.equal(container.image, named('Deployment', 'catalog-api').spec.template.spec.containers[0].image)
  t.equal(loadConfig(environmentIn(t, job.spec.template.spec)).mongodbUrl, secrets['MONGODB_URL'])
  t.match(pod, { restartPolicy: 'OnFailure', automountServiceAccountToken: false, enableServiceLinks: false })
  t.strictSame(pod.securityContext, named('Deployment', 'catalog-api').spec.template.spec.securityContext)
  t.match(container.securityContext, { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } })
  t.ok(container.resources.limits.memory)
  for (const { metadata: { name }, spec: { template } } of workloads) t.equal(loadConfig(environmentIn(t, template.spec)).migrate, 'check', name)
  t.end()
})

const labels = new Set([...workloads, ...of('Job')].map(({ spec }) => spec.template.metadata.labels['app.kubernetes.io/name']))

t.test('services, budgets and policies select pods that are there, and name ports that these have', (t) => {
  for (const { metadata, spec } of of('Service')) {
    const workload = workloads.find(({ spec: { template } }) => template.metadata.labels['app.kubernetes.io/name'] === spec.selector['app.kubernetes.io/name'])
    const ports = workload?.spec.template.spec.containers[0].ports.map(({ name }: Yaml) => name)
    for (const { targetPort } of spec.ports) t.ok(ports?.includes(targetPort), `${metadata.name} → ${targetPort}`)
  }
  for (const { metadata, spec } of of('PodDisruptionBudget')) t.ok(labels.has(spec.selector.matchLabels['app.kubernetes.io/name']), metadata.name)
  for (const { metadata, spec: { podSelector: { matchLabels = {}, matchExpressions = [] } } } of of('NetworkPolicy')) {
    const wanted = [...Object.values<string>(matchLabels), ...matchExpressions.flatMap(({ values }: Yaml) => values)]
    t.ok(wanted.length > 0 && wanted.every((label) => labels.has(label)), metadata.name)
  }
  t.end()
})

t.test('the API believes the ingress controller, wherever in a cluster its pods are, whose request it passes on, and nobody from outside', (t) => {
  const config = isConfigured(t, 'catalog-api', environmentIn(t, named('Deployment', 'catalog-api').spec.template.spec))
  const isTrusted = createNetworks(config.api.trustedProxies)
  const ingress = ['10.244.1.7', '100.64.3.9', '172.17.0.4', '192.168.40.2', 'fd00:10:244::7']
  t.strictSame(ingress.filter((address) => !isTrusted(address)), [])
  const outside = ['198.51.100.7', '172.32.0.1', '100.128.0.1', '2001:db8::7', '::1', '127.0.0.1']
  t.strictSame(outside.filter(isTrusted), [])
  t.end()
})

t.test('workers scale by the lag that they report, and everything that scales is there', async (t) => {
  for (const { spec: { scaleTargetRef } } of of('HorizontalPodAutoscaler')) t.ok(named(scaleTargetRef.kind, scaleTargetRef.name), scaleTargetRef.name)
  const lag = named('HorizontalPodAutoscaler', 'catalog-worker').spec.metrics.find(({ type }: Yaml) => type === 'External').external.metric.name
  t.equal(lag, 'catalog_import_vendors_waiting')
})
