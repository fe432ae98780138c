/** A disk that a test can fill: a filesystem in memory, mounted where the test wants it. Needs root, as sshd's chroot does. */
import { execFile } from 'node:child_process'
import { mkdir, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { eventually } from '../support/eventually.js'

const run = promisify(execFile)

export interface SmallDisk {
  /** Leaves this much room. */
  fill (leaveBytes: number): Promise<void>
  makeRoom (): Promise<void>
  /** As soon as nobody uses it any more. */
  unmount (): Promise<void>
}

export async function mountSmallDisk (path: string, bytes: number): Promise<SmallDisk> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  await run('mount', ['-t', 'tmpfs', '-o', `size=${bytes},mode=0700`, 'tmpfs', path])
  const filler = join(path, 'filler')
  return {
    async fill (leaveBytes) {
      const { bavail, bsize } = await statfs(path)
      await writeFile(filler, Buffer.alloc(bavail * bsize - leaveBytes))
    },
    makeRoom: async () => { await rm(filler) },
    unmount: async () => {
      // What guards a child process outlives it by up to a second.
      await eventually(`${path} is unmounted`, async () => await run('umount', [path]).then(() => true, (error: Error) => {
        if (error.message.includes('busy')) return false
        throw error
      }))
    }
  }
}
