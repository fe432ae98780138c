/** deploy/kubernetes is what kustomize builds and what the API of Kubernetes takes. No cluster is asked. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import t from 'tap'
import { parseAllDocuments, stringify } from 'yaml'
import { packageRoot } from '../../src/package-root.js'
import { testFolder } from '../support/test-folder.js'
import { schemaLocation, writeSchemas, type Kind } from './kubernetes-schemas.js'
import { kubernetesPrograms } from './parts/kubernetes-programs.js'

// The parts are built with the first run.
t.setTimeout(1_800_000)

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Resource = Kind & Record<string, any>
interface Finding { kind: string, name: string, status: string, msg: string }

const base = join(packageRoot(), 'deploy/kubernetes')
const programs = await kubernetesPrograms()

const build = async (folder: string): Promise<Resource[]> => {
  const { stdout } = await promisify(execFile)(programs.kustomize, ['build', folder])
  return parseAllDocuments(stdout).map((document) => document.toJS() as Resource)
}

const resources = await build(base)
const schemas = testFolder(t)
await writeSchemas(resources, programs.descriptions, schemas)

/** What kubeconform has against them. */
async function findingsOf (given: readonly Resource[]): Promise<Finding[]> {
  const child = spawn(programs.kubeconform, ['-strict', '-output', 'json', '-verbose', '-schema-location', schemaLocation(schemas), '-'], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(given.map((resource) => stringify(resource)).join('---\n'))
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')])
  const found = (JSON.parse(output) as { resources: Finding[] }).resources
  if (found.length !== given.length) throw new Error(`kubeconform has looked at ${found.length} of ${given.length}: ${output}`)
  return found.filter(({ status }) => status !== 'statusValid')
}

t.test('each resource of the base is one that Kubernetes takes', async (t) => {
  t.strictSame(await findingsOf(resources), [])
  const kinds = new Set(resources.map(({ kind }) => kind))
  for (const kind of ['ConfigMap', 'Deployment', 'StatefulSet', 'Job', 'Service', 'HorizontalPodAutoscaler', 'PodDisruptionBudget', 'NetworkPolicy']) t.ok(kinds.has(kind), kind)
})

t.test('an overlay sets namespace, image and addresses', async (t) => {
  const folder = join(testFolder(t), 'overlay')
  await mkdir(folder)
  await writeFile(join(folder, 'kustomization.yaml'), stringify({
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    namespace: 'shop',
    resources: [relative(folder, base)],
    images: [{ name: 'merchant-catalog', newName: 'registry.example.com/catalog', newTag: '1.2.3' }],
    patches: [{ target: { kind: 'ConfigMap', name: 'catalog' }, patch: stringify([{ op: 'replace', path: '/data/KAFKA_BROKERS', value: 'kafka.example.com:9093' }]) }]
  }))
  const overlaid = await build(folder)
  t.strictSame(await findingsOf(overlaid), [])
  t.ok(overlaid.every(({ metadata }) => metadata.namespace === 'shop'))
  const containers = overlaid.flatMap(({ spec }) => (spec?.template?.spec?.containers ?? []) as Array<{ image: string }>)
  t.ok(containers.length > 0 && containers.every(({ image }) => image === 'registry.example.com/catalog:1.2.3'))
  t.equal(overlaid.find(({ kind }) => kind === 'ConfigMap')?.['data'].KAFKA_BROKERS, 'kafka.example.com:9093')
})

const deployment = resources.find(({ kind }) => kind === 'Deployment') as Resource
for (const [what, change, msg] of [
  ['a field that is misspelt', ({ spec }) => { spec.template.spec.containers[0].readinesProbe = {} }, /readinesProbe/],
  ['text in a number\'s place', ({ spec }) => { spec.replicas = 'two' }, /replicas/],
  ['what is required and not there', ({ spec }) => { delete spec.selector }, /selector/],
  ['a version that the kind does not have', (resource) => { resource.apiVersion = 'apps/v9' }, /could not find schema/]
] as Array<[string, (resource: Resource) => void, RegExp]>) {
  t.test(`${what} would be found`, async (t) => {
    const wrong = structuredClone(deployment)
    change(wrong)
    t.match(await findingsOf([wrong]), [{ kind: 'Deployment', status: /statusInvalid|statusError/, msg }])
  })
}
