import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** schema.graphql stays in src/ when the code is compiled into dist/, so it is found from the package's root. */
export async function readSchemaText (): Promise<string> {
  return await readFile(join(packageRoot(), 'src/api/graphql/schema.graphql'), 'utf8')
}

/** The nearest folder above this file that holds a package.json. */
export function packageRoot (): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder)
    if (parent === folder) throw new Error('package.json was not found in any parent folder')
    folder = parent
  }
  return folder
}
