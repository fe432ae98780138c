/** Where what is not compiled is found from: it stays in src/ when the code is compiled into dist/. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

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
