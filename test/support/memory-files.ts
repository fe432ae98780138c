/** Merchants' files without a file server, for tests of what happens behind it. */
import { Readable } from 'node:stream'
import { fatal } from '../../src/errors.js'
import type { SftpFiles } from '../../src/sources/sftp-files.js'

/** Pieces of a file, given one after the other; a piece that is a promise holds the reader up until it is there. */
export type FilePieces = Iterable<string | Promise<string>>

/** `contents` by file name, the same for every vendor. */
export function memoryFiles (contents: Record<string, FilePieces>): SftpFiles {
  const piecesOf = (name: string): FilePieces => {
    const pieces = contents[name]
    if (pieces === undefined) throw fatal(`File not found: ${name}`)
    return pieces
  }
  return {
    stat: async (_vendorId, name) => {
      piecesOf(name)
      return { size: 1, modifiedAtMs: 0 }
    },
    read (_vendorId, name, { signal }) {
      async function * bytes (): AsyncGenerator<Buffer> {
        for (const piece of piecesOf(name)) {
          const text = await piece
          if (signal.aborted) throw signal.reason as Error
          yield Buffer.from(text)
        }
      }
      return Readable.from(bytes(), { objectMode: false })
    },
    list: async () => [],
    remove: async () => {},
    ping: async () => {},
    close: async () => {}
  }
}
