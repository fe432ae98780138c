import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packageRoot } from '../../package-root.js'

export async function readSchemaText (): Promise<string> {
  return await readFile(join(packageRoot(), 'src/api/graphql/schema.graphql'), 'utf8')
}
