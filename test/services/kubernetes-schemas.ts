/** JSON schemas for kubeconform, from the OpenAPI documents with which an API server describes itself. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface Kind { apiVersion: string, kind: string }

interface Schema {
  properties?: Record<string, Schema>
  additionalProperties?: unknown
  'x-kubernetes-group-version-kind'?: Array<{ group: string, version: string, kind: string }>
}

/** As kubeconform is to look for what is written here. */
export const schemaLocation = (folder: string): string => join(folder, '{{.Group}}-{{.ResourceAPIVersion}}-{{.ResourceKind}}.json')

/** A file for each of the kinds that there are, in which a field that is not known is an error, as `kubectl apply` warns of it. */
export async function writeSchemas (kinds: readonly Kind[], descriptions: string, folder: string): Promise<void> {
  for (const { apiVersion, kind } of kinds) {
    const [version = '', group = ''] = apiVersion.split('/').reverse()
    const path = join(descriptions, `${group === '' ? 'api' : `apis__${group}`}__${version}_openapi.json`)
    const text = await readFile(path, 'utf8').catch(() => undefined)
    if (text === undefined) continue
    const { components } = JSON.parse(text) as { components: { schemas: Record<string, Schema> } }
    const [name] = Object.entries(components.schemas).find(([, schema]) =>
      schema['x-kubernetes-group-version-kind']?.some((each) => each.group === group && each.version === version && each.kind === kind)) ?? []
    if (name === undefined) continue
    for (const schema of Object.values(components.schemas)) {
      if (schema.properties !== undefined && schema.additionalProperties === undefined) schema.additionalProperties = false
    }
    // kubeconform takes the version for the group where there is none.
    await writeFile(join(folder, `${group === '' ? version : group}-${version}-${kind.toLowerCase()}.json`), JSON.stringify({ $ref: `#/components/schemas/${name}`, components }))
  }
}
