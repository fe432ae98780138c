/** Merchants' files without a file server, for tests of what happens behind it. */
import { Readable } from 'node:stream'
import { fatal } from '../../src/errors.js'
import type { MerchantFiles } from '../../src/domain/merchant-file.js'
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
    ...memoryUploads(),
    list: async () => [],
    ping: async () => {},
    close: async () => {}
  }
}

/** Files that are uploaded, in memory; `contents` by vendor and name, `acme/a.jsonl`. */
export function memoryUploads (contents: Map<string, Buffer> = new Map()): MerchantFiles {
  const pathOf = (vendorId: string, name: string): string => `${vendorId}/${name}`
  return {
    list: async (vendorId) => [...contents].filter(([path]) => path.startsWith(`${vendorId}/`))
      .map(([path, content]) => ({ name: path.slice(vendorId.length + 1), size: content.length, modifiedAtMs: 0 })),
    sizeOf: async (vendorId, name) => contents.get(pathOf(vendorId, name))?.length ?? null,
    async append (vendorId, name, position, pieces) {
      const path = pathOf(vendorId, name)
      let at = position
      contents.set(path, contents.get(path) ?? Buffer.alloc(0))
      for await (const piece of pieces) {
        contents.set(path, Buffer.concat([(contents.get(path) as Buffer).subarray(0, at), piece]))
        at += piece.length
      }
    },
    async replace (vendorId, from, to) {
      contents.set(pathOf(vendorId, to), contents.get(pathOf(vendorId, from)) as Buffer)
      contents.delete(pathOf(vendorId, from))
    },
    remove: async (vendorId, name) => { contents.delete(pathOf(vendorId, name)) }
  }
}
