/**
 * What one vendor's files may take, finished and unfinished together. The folders are measured when an upload begins, at most
 * every few seconds; in between, what uploads add is counted. Several servers on the same folders see each other's files with
 * the next measurement: a quota keeps a vendor from filling the disk, it is no bill.
 */
import { opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { statFile, type Jail } from './jail.js'
import type { SftpLimits } from './limits.js'
import { errnoOf, failure, SftpFailure } from './sftp-failure.js'

export interface Quotas {
  /** Room for one file more. Throws SftpFailure when there is none, or a file system error. */
  takeFile (vendorId: string): Promise<void>
  /** Known how much there is, so that bytes can be taken. Throws a file system error. */
  measured (vendorId: string): Promise<void>
  /** Room for so many bytes more. Throws SftpFailure when there is none. */
  takeBytes (vendorId: string, bytes: number): void
  /** Files were deleted, replaced or discarded: measure again. */
  forget (vendorId: string): void
}

const measuredForMs = 5_000

interface Usage { files: number, bytes: number, at: number }

export function createQuotas (jail: Jail, { maxVendorBytes, maxVendorFiles }: Pick<SftpLimits, 'maxVendorBytes' | 'maxVendorFiles'>): Quotas {
  const usages = new Map<string, Promise<Usage>>()
  /** Of the last measurement, with what has been taken since. */
  const current = new Map<string, Usage>()

  async function usageOf (vendorId: string): Promise<Usage> {
    const known = current.get(vendorId)
    if (known !== undefined && performance.now() - known.at < measuredForMs) return known
    let measuring = usages.get(vendorId)
    if (measuring === undefined) {
      measuring = measure(jail, vendorId).then((usage) => {
        current.set(vendorId, usage)
        return usage
      }).finally(() => { usages.delete(vendorId) })
      usages.set(vendorId, measuring)
    }
    return await measuring
  }

  return {
    async takeFile (vendorId) {
      const usage = await usageOf(vendorId)
      if (usage.files >= maxVendorFiles) throw failure(`Quota exceeded: at most ${maxVendorFiles} files; delete some first`)
      usage.files++
    },
    measured: async (vendorId) => { await usageOf(vendorId) },
    takeBytes (vendorId, bytes) {
      const usage = current.get(vendorId)
      if (usage === undefined) return
      if (usage.bytes + bytes > maxVendorBytes) throw failure(`Quota exceeded: at most ${maxVendorBytes} bytes; delete files first`)
      usage.bytes += bytes
    },
    forget (vendorId) {
      const usage = current.get(vendorId)
      if (usage !== undefined) usage.at = -Infinity
    }
  }
}

async function measure (jail: Jail, vendorId: string): Promise<Usage> {
  const usage: Usage = { files: 0, bytes: 0, at: performance.now() }
  for (const folder of [await jail.incoming(vendorId), await jail.uploading(vendorId)]) {
    for await (const { name } of await opendir(folder, { bufferSize: 128 })) {
      try {
        usage.bytes += (await statFile(join(folder, name))).size
        usage.files++
      } catch (error) {
        // No plain file, or gone since the folder was read.
        if (!(error instanceof SftpFailure) && errnoOf(error) !== 'ENOENT') throw error
      }
    }
  }
  return usage
}
