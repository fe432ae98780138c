/** The PDF converter: whether it works here, and how far it is cut off from the rest of the machine. */
import type { Logger } from 'pino'
import { ok, warn, fail, type Area, type Outcome } from './check.js'

const limitMs = 25_000
const reinstall = 'npm ci'

export const converterArea = (log: Logger): Area => ({
  checks: [
    {
      name: 'converter',
      limitMs,
      fix: reinstall,
      run: async (signal) => await converterOutcome(log, signal)
    }
  ]
})

async function converterOutcome (log: Logger, signal: AbortSignal): Promise<Outcome> {
  const [{ findConverterIsolation }, { createPdfConverter }] = await Promise.all([import('../../pdf/converter-isolation.js'), import('../../pdf/convert-pdf.js')])
  const isolation = await findConverterIsolation()
  const started = performance.now()
  const markdown = await createPdfConverter({ log, isolation })(samplePdf(), signal)
  const told = `a page takes ${Math.round(performance.now() - started)} ms`
  if (!markdown.includes(sampleText)) return fail('it gives another text than the page has', reinstall)
  if (isolation.by === 'namespaces') return ok(`${told}; cut off from network, processes and files`)
  const mend = 'allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1; util-linux has unshare); in a container the network policy has to do it'
  return warn(`${told}, ${isolation.by === 'permissions' ? 'kept from files by Node alone' : 'not cut off from anything'} (${isolation.reasons.join('; ')})`, mend)
}

const sampleText = 'Size chart of the catalog doctor'

/** One page with a line of text. */
function samplePdf (): Buffer {
  const content = `BT /F1 24 Tf 72 720 Td (${sampleText}) Tj ET`
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>',
    `<</Length ${content.length}>>\nstream\n${content}\nendstream`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>'
  ]
  return Buffer.from(`%PDF-1.4\n${objects.map((object, index) => `${index + 1} 0 obj${object}endobj\n`).join('')}trailer<</Root 1 0 R>>\n%%EOF`)
}
