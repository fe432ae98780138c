/** What checks manifests of Kubernetes: kustomize, kubeconform and the API's own description, by the Go modules that they are published as. */
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { cached } from './cache.js'
import { go } from './go.js'

const kustomize = { program: 'kustomize', module: 'sigs.k8s.io/kustomize/kustomize/v5', package: '', version: 'v5.7.1' }
const kubeconform = { program: 'kubeconform', module: 'github.com/yannh/kubeconform', package: '/cmd/kubeconform', version: 'v0.7.0' }
/** Of the version of Kubernetes that manifests are held against. */
const kubernetes = { module: 'k8s.io/kubernetes', version: 'v1.34.2' }

export interface KubernetesPrograms {
  kustomize: string
  kubeconform: string
  /** A folder of the OpenAPI documents (3.0) of every group and version of the API, such as `apis__apps__v1_openapi.json`. */
  descriptions: string
}

/** Fetched and built when they are not there. Rejects with what to install where Go is missing. */
export async function kubernetesPrograms (): Promise<KubernetesPrograms> {
  // One after the other: each build takes all cores that there are.
  return { kustomize: await built(kustomize), kubeconform: await built(kubeconform), descriptions: await apiDescriptions() }
}

async function built ({ program, module, package: path, version }: typeof kustomize): Promise<string> {
  const folder = await cached(`${program}-${version}`, async (folder) => {
    await go(folder, `building ${program} ${version}`, ['install', `${module}${path}@${version}`])
  })
  return join(folder, program)
}

async function apiDescriptions (): Promise<string> {
  const { module, version } = kubernetes
  const folder = await cached(`kubernetes-api-${version}`, async (folder) => {
    // A hundred megabytes of which a tenth is of use: not into the developer's own modules.
    const modules = join(folder, 'modules')
    await go(folder, `fetching the description of the API of Kubernetes ${version}`, ['mod', 'download', `${module}@${version}`], { GOMODCACHE: modules })
    await rename(join(modules, `${module}@${version}`, 'api/openapi-spec/v3'), join(folder, 'v3'))
    await rm(modules, { recursive: true })
  })
  return join(folder, 'v3')
}
