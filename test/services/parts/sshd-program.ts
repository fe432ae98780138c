/** OpenSSH's sshd as Debian packages it. The package brings the unprivileged user `sshd` that the server insists on. */
import { access, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { findOnPath } from '../../../src/embedded/search-path.js'
import { runCommand } from './run-command.js'

/** While this says 101, installing a package starts no service (invoke-rc.d's contract). */
const policy = '/usr/sbin/policy-rc.d'

export async function sshdProgram (): Promise<string> {
  if (process.getuid?.() !== 0) throw new Error('OpenSSH\'s sshd with chroot needs root: run the tests against real parts as root (in a container, say)')
  const found = await findSshd() ?? await install()
  if (found === undefined) throw new Error('The package openssh-server is installed, but there is no sshd')
  return found
}

/** Absolute, which sshd insists on. Not every shell's PATH has the administrators' folders. */
async function findSshd (): Promise<string | undefined> {
  return await findOnPath('sshd', { PATH: [process.env['PATH'] ?? '', '/usr/sbin', '/usr/local/sbin'].join(delimiter) })
}

async function install (): Promise<string | undefined> {
  const aptGet = await findOnPath('apt-get', process.env)
  if (aptGet === undefined) throw new Error('There is no sshd, and no apt-get to install it with: install OpenSSH\'s server')
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
  const hasPolicy = await access(policy).then(() => true, () => false)
  if (!hasPolicy) await writeFile(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  try {
    const packages = ['install', '-y', '--no-install-recommends', 'openssh-server']
    await apt('installing openssh-server', ...packages).catch(async () => {
      // A fresh image has no package lists yet, or outdated ones.
      await apt('reading the package lists', 'update')
      await apt('installing openssh-server', ...packages)
    })
  } finally {
    if (!hasPolicy) await rm(policy, { force: true })
  }
  return await findSshd()
}
