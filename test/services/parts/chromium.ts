/** Chromium as Debian packages it. */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findOnPath } from '../../../src/embedded/search-path.js'
import { runCommand } from './run-command.js'

export async function chromiumProgram (): Promise<string> {
  const found = await findOnPath('chromium', process.env) ?? await install()
  if (found === undefined) throw new Error('The package chromium is installed, but there is no chromium')
  return found
}

async function install (): Promise<string | undefined> {
  const aptGet = await findOnPath('apt-get', process.env)
  if (aptGet === undefined) throw new Error('There is no chromium, and no apt-get to install it with: install Chromium')
  const apt = async (what: string, ...args: string[]): Promise<void> => {
    await runCommand({
      what,
      command: aptGet,
      args,
      cwd: tmpdir(),
      logPath: join(tmpdir(), `catalog-services-apt-${process.pid}.log`),
      timeoutMs: 10 * 60_000,
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    })
  }
  const packages = ['install', '-y', '--no-install-recommends', 'chromium', 'fonts-dejavu-core']
  await apt('installing chromium', ...packages).catch(async () => {
    // A fresh image has no package lists yet, or outdated ones.
    await apt('reading the package lists', 'update')
    await apt('installing chromium', ...packages)
  })
  return await findOnPath('chromium', process.env)
}
