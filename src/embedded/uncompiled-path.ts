/** Files of this folder that are not compiled, found from the package's root: wherever this module was compiled to, they stay in src. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export function uncompiledPath (name: string): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json'))) {
    if (folder === dirname(folder)) throw new Error('The root of this package cannot be found')
    folder = dirname(folder)
  }
  return join(folder, 'src', 'embedded', name)
}
