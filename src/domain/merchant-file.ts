/** Merchants' files as those see them who upload over HTTP. */
import { badInput } from '../errors.js'

export interface MerchantFile {
  name: string
  /** Bytes. */
  size: number
  modifiedAtMs: number
}

/** As sources/sftp-uploads and sources/sftp-files do it. */
export interface MerchantFiles {
  list (vendorId: string): Promise<MerchantFile[]>
  /** null: there is no such file. */
  sizeOf (vendorId: string, name: string): Promise<number | null>
  append (vendorId: string, name: string, position: number, pieces: AsyncIterable<Buffer>): Promise<void>
  /** Takes the place of a file that is there. */
  replace (vendorId: string, from: string, to: string): Promise<void>
  remove (vendorId: string, name: string): Promise<void>
}

/** As the built-in SFTP server's. */
export const maxFileBytes = 50 * 1024 ** 3
/** What file systems take. */
export const maxFileNameBytes = 255

/** Throws BAD_USER_INPUT. */
export function checkFileSize (size: number): void {
  if (!Number.isSafeInteger(size) || size < 0) throw badInput('Upload-Length must be the file\'s size in bytes')
  if (size > maxFileBytes) throw badInput(`A file may have at most ${maxFileBytes} bytes`)
}
