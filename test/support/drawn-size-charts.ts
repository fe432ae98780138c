/**
 * The charts that test/fixtures/size-chart-makers draws with ReportLab and fpdf2, what they say, and how much of it a reader of the markdown gets:
 * by kind of chart, cells right, cells wrong in a chart that is READY, and charts refused that a person could read.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pdfToMarkdown } from '../../src/pdf/pdf-to-markdown.js'
import { packageRoot } from '../../src/package-root.js'
import { tablesIn } from './size-chart-corpus.js'

type Expected = { kind: string } & ({ tables: string[][][] } | { error: string })

export interface Score { charts: number, right: number, wrong: number, refused: number }

export const drawnCharts = join(packageRoot(), 'test/fixtures/drawn-size-charts')
export const chartMakers = join(packageRoot(), 'test/fixtures/size-chart-makers')

export async function scoresOf (folder: string): Promise<{ scores: Map<string, Score>, faults: string[] }> {
  const expected = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as Record<string, Expected>
  const scores = new Map<string, Score>()
  const faults: string[] = []
  for (const [name, truth] of Object.entries(expected)) {
    const answer = await pdfToMarkdown(readFileSync(join(folder, `${name}.pdf`)))
    const score = scores.get(truth.kind) ?? { charts: 0, right: 0, wrong: 0, refused: 0 }
    scores.set(truth.kind, score)
    score.charts += 1
    if ('error' in truth) {
      if (!('refused' in answer) || answer.refused !== truth.error) faults.push(`${name} is not refused as ${truth.error}`)
    } else if ('refused' in answer) {
      score.refused += 1
      faults.push(`${name} is refused: ${answer.refused}`)
    } else {
      const { right, wrong } = compared(whole(tablesIn(answer.markdown)), whole(truth.tables))
      score.right += right
      score.wrong += wrong
      if (wrong > 0) faults.push(`${name} has ${wrong} wrong cells`)
    }
  }
  return { scores, faults }
}

/** A table whose head is repeated on the next page is one. */
function whole (tables: readonly string[][][]): string[][][] {
  const joined: string[][][] = []
  for (const table of tables) {
    const last = joined.at(-1)
    if (last !== undefined && last[0]?.join('|') === table[0]?.join('|')) last.push(...table.slice(1))
    else joined.push([...table])
  }
  return joined
}

function compared (got: readonly string[][][], truth: readonly string[][][]): { right: number, wrong: number } {
  const cells = truth.flat(2).length
  const hasShape = got.length === truth.length && got.every((table, index) => table.length === truth[index]?.length && table.every((row, at) => row.length === truth[index]?.[at]?.length))
  if (!hasShape) return { right: 0, wrong: Math.max(cells, got.flat(2).length) }
  const said = got.flat(2).map(lettersOf)
  const wrong = truth.flat(2).filter((cell, index) => lettersOf(cell) !== said[index]).length
  return { right: cells - wrong, wrong }
}

/** ReportLab is given Arabic as the forms that letters have within words. */
const lettersOf = (cell: string): string => cell.replace(/[\uFB50-\uFDFF\uFE70-\uFEFC]/g, (form) => form.normalize('NFKC'))

export function figures (scores: ReadonlyMap<string, Score>): string {
  const rows = [...scores].map(([kind, { charts, right, wrong, refused }]) => `| ${kind} | ${charts} | ${right} | ${wrong} | ${refused} |`)
  return ['| Charts | | Cells right | Wrong and READY | Refused that a person could read |', '| --- | ---: | ---: | ---: | ---: |', ...rows].join('\n')
}
