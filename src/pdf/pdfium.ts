/**
 * PDFium, compiled to WebAssembly: it reads strangers' files within a memory of its own. Opens documents and hands out what it knows of a page,
 * as numbers in the page's own space (points, y upwards). It keeps nothing between two documents but the compiled module.
 */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { init, type WrappedPdfiumModule } from '@embedpdf/pdfium'

/** Its types leave out the memory that it works in. */
interface Memory { HEAPU8: Uint8Array, HEAP32: Int32Array, HEAPF32: Float32Array, HEAPF64: Float64Array }

export type Pdfium = WrappedPdfiumModule & { pdfium: Memory }

export interface OpenPdf {
  pageCount: number
  /** The pointer of a page that is closed once `read` has returned. */
  withPage<Read> (index: number, read: (page: number) => Read): Read
  close (): void
}

/** FPDF_ERR_PASSWORD and FPDF_ERR_SECURITY. */
const passwordErrors = new Set([4, 5])

export class PdfUnreadable extends Error {
  override readonly name = 'PdfUnreadable'
  constructor (readonly reason: 'password-protected' | 'damaged') { super(reason) }
}

let loaded: Promise<Pdfium> | undefined

export async function loadPdfium (): Promise<Pdfium> {
  loaded ??= start()
  return await loaded
}

async function start (): Promise<Pdfium> {
  const wasm = await readFile(createRequire(import.meta.url).resolve('@embedpdf/pdfium/pdfium.wasm'))
  const pdfium = await init({ wasmBinary: wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.length) })
  pdfium.FPDF_InitLibrary()
  return pdfium as Pdfium
}

/** Throws PdfUnreadable. */
export function openPdf (pdfium: Pdfium, bytes: Buffer): OpenPdf {
  const { malloc, free } = pdfium.pdfium.wasmExports
  const data = malloc(bytes.length)
  if (data === 0) throw new PdfUnreadable('damaged')
  pdfium.pdfium.HEAPU8.set(bytes, data)
  const document = pdfium.FPDF_LoadMemDocument(data, bytes.length, '')
  if (document === 0) {
    const reason = passwordErrors.has(pdfium.FPDF_GetLastError()) ? 'password-protected' : 'damaged'
    free(data)
    throw new PdfUnreadable(reason)
  }
  return {
    pageCount: pdfium.FPDF_GetPageCount(document),
    withPage (index, read) {
      const page = pdfium.FPDF_LoadPage(document, index)
      if (page === 0) throw new PdfUnreadable('damaged')
      try {
        return read(page)
      } finally {
        pdfium.FPDF_ClosePage(page)
      }
    },
    close () {
      pdfium.FPDF_CloseDocument(document)
      free(data)
    }
  }
}
