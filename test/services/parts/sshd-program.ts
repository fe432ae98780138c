/** OpenSSH's sshd as Debian packages it. The package brings the unprivileged user `sshd` that the server insists on. */
import { access, rm, writeFile } from 'node:fs/promises'
import { delimiter } from 'node:path'
import { findOnPath } from '../../../src/embedded/search-path.js'
import { installDebianPackages } from './debian-package.js'

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
  const hasPolicy = await access(policy).then(() => true, () => false)
  if (!hasPolicy) await writeFile(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  try {
    await installDebianPackages(['openssh-server'], { program: 'sshd', instead: 'install OpenSSH\'s server' })
  } finally {
    if (!hasPolicy) await rm(policy, { force: true })
  }
  return await findSshd()
}
