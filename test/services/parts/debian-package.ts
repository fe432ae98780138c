/** Programs as Debian packages them. */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findOnPath } from '../../../src/embedded/search-path.js'
import { runCommand } from './run-command.js'

const lockTimeoutSeconds = 300

/** The first of `names` is the package that brings `program`. Rejects where it cannot be installed, with `instead`: what else would do. */
export async function installDebianPackages (names: readonly [string, ...string[]], { program, instead }: { program: string, instead: string }): Promise<void> {
  const aptGet = await findOnPath('apt-get', process.env)
  if (aptGet === undefined) throw new Error(`There is no ${program}, and no apt-get to install it with: ${instead}`)
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
  // Another run, or the machine's own upgrades, may be installing something just now.
  const install = async (): Promise<void> => { await apt(`installing ${names[0]}`, '-o', `DPkg::Lock::Timeout=${lockTimeoutSeconds}`, 'install', '-y', '--no-install-recommends', ...names) }
  await install().catch(async () => {
    // A fresh image has no package lists yet, or outdated ones.
    await apt('reading the package lists', 'update')
    await install()
  })
}
