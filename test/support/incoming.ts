import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Makes a vendor's `incoming/` below an sshd's root, and gives its path. The service may remove files there (retention). */
export async function createIncoming (root: string, vendorId: string): Promise<string> {
  const incoming = join(root, vendorId, 'incoming')
  await mkdir(incoming, { recursive: true })
  await chmod(incoming, 0o777) // mkdir's mode is subject to the umask
  return incoming
}
