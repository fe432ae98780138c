/** The PDFs of test/fixtures/size-charts/, and what must come out of each (scripts/generate-size-chart-corpus.js). */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../src/package-root.js'

type Expected = { tables: string[][][] } | { error: string }

const folder = join(packageRoot(), 'test/fixtures/size-charts')

export const expectations = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as Record<string, Expected>

export const corpusPdf = (name: string): Buffer => readFileSync(join(folder, `${name}.pdf`))

/** The tables of a markdown text, as rows of cells, the head first. */
export function tablesIn (markdown: string): string[][][] {
  const tables: string[][][] = []
  let current: string[][] | null = null
  for (const line of markdown.split('\n')) {
    if (!/^\|.*\|$/.test(line)) {
      current = null
      continue
    }
    if (current === null) tables.push(current = [])
    const cells = line.slice(1, -1).split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'))
    if (!cells.every((cell) => /^-+$/.test(cell))) current.push(cells)
  }
  return tables
}
