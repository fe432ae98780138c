/** A file that is being written, within its vendor's quota. The first write that fails breaks it: whoever ignored the error gets no half file. */
import type { Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import type { Quotas } from './quotas.js'
import { failure, toSftpFailure, type SftpFailure } from './sftp-failure.js'

export interface GrowingFile {
  write (position: number, data: Buffer): Promise<void>
  /** Returns the bytes read; 0 = end of file. */
  read (buffer: Buffer, position: number): Promise<number>
  truncate (size: number): Promise<void>
  stat (): Promise<Stats>
  /** Everything is on the disk. Throws when something is not, or was refused before. */
  sync (): Promise<void>
}

export function createGrowingFile ({ file, startSize, vendorId, quotas, append, maxFileBytes }: {
  file: FileHandle
  /** Bytes of the quota that it has taken already. */
  startSize: number
  vendorId: string
  quotas: Quotas
  /** Every write goes to the end, whatever its offset. */
  append: boolean
  maxFileBytes: number
}): GrowingFile {
  let broken: SftpFailure | undefined
  let taken = startSize

  const change = async (work: () => Promise<unknown>): Promise<void> => {
    if (broken !== undefined) throw broken
    try {
      await work()
    } catch (error) {
      broken = toSftpFailure(error)
      throw broken
    }
  }
  const growTo = (size: number): void => {
    if (!Number.isSafeInteger(size) || size > maxFileBytes) throw failure(`File is larger than ${maxFileBytes} bytes`)
    if (size <= taken) return
    quotas.takeBytes(vendorId, size - taken)
    taken = size
  }

  return {
    stat: async () => await file.stat(),
    read: async (buffer, position) => (await file.read(buffer, 0, buffer.length, position)).bytesRead,
    write: async (position, data) => await change(async () => {
      const start = append ? (await file.stat()).size : position
      growTo(start + data.length)
      for (let done = 0; done < data.length;) {
        done += (await file.write(data, done, data.length - done, start + done)).bytesWritten
      }
    }),
    truncate: async (size) => await change(async () => {
      growTo(size)
      await file.truncate(size)
    }),
    sync: async () => await change(async () => await file.sync())
  }
}
