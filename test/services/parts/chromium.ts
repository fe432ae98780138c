/** Chromium as Debian packages it. */
import { findOnPath } from '../../../src/embedded/search-path.js'
import { installDebianPackages } from './debian-package.js'

export async function chromiumProgram (): Promise<string> {
  const found = await findOnPath('chromium', process.env) ?? await install()
  if (found === undefined) throw new Error('The package chromium is installed, but there is no chromium')
  return found
}

async function install (): Promise<string | undefined> {
  await installDebianPackages(['chromium', 'fonts-dejavu-core'], { program: 'chromium', instead: 'install Chromium' })
  return await findOnPath('chromium', process.env)
}
