/** One line after the stages of an import, with the links of a small vendor: what the sink is handed. */
import { wordFault } from '../../../src/domain/issue.js'
import type { ImportMode } from '../../../src/domain/import-job.js'
import { Envelope } from '../../../src/engine/envelope.js'
import { inOrder } from '../../../src/engine/stage.js'
import { parse } from '../../../src/stages/parse.js'
import type { LinkLookup, ResolvedPatch } from '../../../src/stages/resolve-links.js'
import { productStages } from '../../../pipelines/product-import.js'

export interface CheckedLineOptions { mode?: ImportMode, links?: Partial<LinkLookup>, onUnknownStoreCode?: (code: string, path: string) => void }

const nothing: LinkLookup = { fitmentTargetIds: async () => new Map(), sizeChartIds: async () => new Map(), stockLocations: async () => [] }

/** Text is taken as the line itself, anything else as the JSON value on it. */
export async function checkedLine (line: unknown, { mode = 'UPDATE', links, onUnknownStoreCode }: CheckedLineOptions = {}): Promise<Envelope<ResolvedPatch>> {
  const stages = inOrder(parse, productStages({
    vendorId: 'acme', mode, links: { ...nothing, ...links }, onUnknownStoreCode: (code, _envelope, path) => onUnknownStoreCode?.(code, path)
  }))
  const [envelope] = await stages([new Envelope({ file: 0, line: 1 }, typeof line === 'string' ? line : JSON.stringify(line))])
  if (envelope === undefined) throw new Error('a stage has lost the line')
  return envelope
}

export const faultsOf = async (line: unknown, options?: CheckedLineOptions): Promise<string[]> => (await checkedLine(line, options)).faults.map(wordFault)

export const warningsOf = async (line: unknown, options?: CheckedLineOptions): Promise<string[]> => (await checkedLine(line, options)).warnings.map(wordFault)
