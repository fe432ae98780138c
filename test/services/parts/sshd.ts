/**
 * OpenSSH's sshd with chrooted internal-sftp, as operators run it for merchants' files, on a config file, host key and
 * folder of its own. Logins are as `nobody`, which every system has, so that no account need be made and removed again:
 *
 *   <folder>/vendors/                 root of the chroot, so of the paths in the SFTP URL; sshd wants it and all above it
 *                                     writable by root alone, which rules out /tmp
 *   <folder>/vendors/<id>/incoming/   writable by everyone: see createIncoming in test/support
 */
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startGuardedChild, type GuardedChild } from '../../../src/embedded/guarded-child.js'
import { generateEd25519KeyPair } from '../../../src/sftp/key-pair.js'
import { createSftpFiles } from '../../../src/sources/sftp-files.js'
import { freePort } from './free-port.js'
import { descendantsOf, killIfThere } from './process-tree.js'
import { sshdProgram } from './sshd-program.js'
import { temporaryFolder } from './temporary-folder.js'
import { untilListening } from './until-listening.js'
import { fingerprintOfPair } from '../../support/key-fingerprint.js'
import { silent } from '../../support/log.js'

export interface Sshd {
  /** For SFTP_URL; the same after every start. */
  url: string
  /** For SFTP_PRIVATE_KEY_FILE. */
  privateKeyFile: string
  /** For SFTP_HOST_KEY_FINGERPRINT. */
  hostKeyFingerprint: string
  /** The folder under which `<vendorId>/incoming/` lies. */
  root: string
  start (): Promise<void>
  /** kill -9 of the server and of every session: what a crash of the machine looks like to clients. */
  kill (): Promise<void>
  /** Ends the server and its sessions, and removes the folder. */
  close (): Promise<void>
}

const user = 'nobody'
const privilegeSeparationFolder = '/run/sshd'

/** A configured server that does not run yet. Needs root. */
export async function createSshd (): Promise<Sshd> {
  const command = await sshdProgram()
  const { path: folder, remove } = await temporaryFolder('/var/lib/merchant-catalog-sshd-')
  const root = join(folder, 'vendors')
  const privateKeyFile = join(folder, 'client_key')
  const configPath = join(folder, 'sshd_config')
  const logPath = join(folder, 'sshd.log')
  const port = await freePort()
  const url = `sftp://${user}@127.0.0.1:${port}/{vendorId}`

  // mkdtemp's 0700 would hide the authorized keys from sshd, which reads them as the user who logs in.
  await chmod(folder, 0o755)
  await mkdir(root, { mode: 0o755 })
  await mkdir(privilegeSeparationFolder, { recursive: true, mode: 0o755 })
  const client = generateEd25519KeyPair('worker')
  await writeFile(privateKeyFile, client.private, { mode: 0o600 })
  const host = generateEd25519KeyPair('host')
  const hostKeyFingerprint = fingerprintOfPair(host)
  await writeFile(join(folder, 'host_key'), host.private, { mode: 0o600 })
  await writeFile(join(folder, 'authorized_keys'), `${client.public}\n`, { mode: 0o644 })
  await writeFile(configPath, configOf(folder, root, port))

  let child: GuardedChild | undefined
  /** Sessions are in process groups of their own, and go on without the server. */
  async function kill (): Promise<void> {
    if (child === undefined || child.hasExited()) return
    for (const pid of [child.pid, ...await descendantsOf(child.pid)]) killIfThere(pid, 'SIGKILL')
    await child.exited
  }
  return {
    url,
    privateKeyFile,
    hostKeyFingerprint,
    root,
    async start () {
      child = await startGuardedChild({
        command, args: ['-D', '-e', '-f', configPath], env: process.env, cwd: folder, logPath, graceSeconds: 3
      })
      await untilListening(child, port, 'sshd')
      await untilLoginWorks({ url, privateKeyFile, hostKeyFingerprint, child })
    },
    kill,
    async close () {
      await kill()
      await remove()
    }
  }
}

const configOf = (folder: string, root: string, port: number): string => `
ListenAddress 127.0.0.1
Port ${port}
PidFile none
HostKey ${join(folder, 'host_key')}
AuthorizedKeysFile ${join(folder, 'authorized_keys')}
AllowUsers ${user}
AuthenticationMethods publickey
UsePAM no
Subsystem sftp internal-sftp
ForceCommand internal-sftp
ChrootDirectory ${root}
DisableForwarding yes
`

/** A port that listens says little: whether the user may log in and is shut in its folder shows only then. */
async function untilLoginWorks (
  { url, privateKeyFile, hostKeyFingerprint, child }: Pick<Sshd, 'url' | 'privateKeyFile' | 'hostKeyFingerprint'> & { child: GuardedChild }
): Promise<void> {
  const files = createSftpFiles({ url, privateKeyFile, hostKeys: { fingerprints: [hostKeyFingerprint] }, log: silent })
  try {
    await files.ping()
  } catch (error) {
    throw new Error(`sshd refuses the login as ${user}:\n${await child.lastLines()}`, { cause: error })
  } finally {
    await files.close()
  }
}
