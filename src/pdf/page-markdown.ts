/** Writes what pages say as markdown. */
import { tidyText } from './tidy-text.js'
import type { Block, PageContent, Table, TableCell } from './page-model.js'
import { textOf, type Line } from './text-lines.js'

/** Of the size of most of the text. */
const headingSize = 1.15
const maxHeadingLength = 120
/** From line to line of a paragraph, in parts of the font's size. */
const lineSpacing = 1.6

export function documentMarkdown (pages: readonly PageContent[]): string {
  const heading = headingsOf(pages)
  return pages.map(({ blocks }) => blocks.map((block) => blockMarkdown(block, heading)).filter((text) => text !== '').join('\n\n')).filter((text) => text !== '').join('\n\n-----\n\n')
}

type Heading = (line: Line) => string

const lineText = ({ pieces }: Line): string => pieces.map(textOf).join(' ')

/** The largest text of the document is its first level. */
function headingsOf (pages: readonly PageContent[]): Heading {
  const weights = new Map<number, number>()
  const key = (size: number): number => Math.round(size * 2) / 2
  const weigh = (size: number, characters: number): void => { weights.set(key(size), (weights.get(key(size)) ?? 0) + characters) }
  for (const block of pages.flatMap(({ blocks }) => blocks)) {
    if ('lines' in block) for (const line of block.lines) weigh(line.size, lineText(line).length)
    else for (const { pieces, text } of [...block.table.head, ...block.table.rows.flat()]) weigh(pieces[0]?.size ?? 0, text.length)
  }
  const [common = 0] = [...weights].toSorted(([, one], [, other]) => other - one)[0] ?? []
  const isHeading = (line: Line): boolean => line.size >= headingSize * common && line.pieces.length === 1 && lineText(line).length <= maxHeadingLength && /[\p{L}\p{N}]/u.test(lineText(line))
  const lines = pages.flatMap(({ blocks }) => blocks).flatMap((block) => 'lines' in block ? block.lines : [])
  const sizes = [...new Set(lines.filter(isHeading).map(({ size }) => key(size)))].toSorted((one, other) => other - one)
  return (line) => isHeading(line) ? `${'#'.repeat(Math.min(3, sizes.indexOf(key(line.size)) + 1))} ` : ''
}

export function blockMarkdown (block: Block, heading: Heading): string {
  return 'table' in block ? tableMarkdown(block.table) : textMarkdown(block.lines, heading)
}

function textMarkdown (lines: readonly Line[], heading: Heading): string {
  const paragraphs: string[] = []
  let before: { line: Line, mark: string } | null = null
  for (const line of lines) {
    const mark = heading(line)
    const isMore = before !== null && before.mark === mark && line.baseline > before.line.baseline &&
      line.baseline - before.line.baseline < lineSpacing * line.size && Math.abs(line.size - before.line.size) < 0.05 * line.size
    if (isMore) paragraphs.push(`${paragraphs.pop() ?? ''} ${lineText(line)}`)
    else paragraphs.push(`${mark}${guarded(lineText(line))}`)
    before = { line, mark }
  }
  return tidyText(paragraphs.join('\n\n'))
}

/** A line that begins so would be something else in markdown. */
const guarded = (text: string): string => /^(?:#{1,6}\s|\||-{3,}$)/.test(text) ? `\\${text}` : text

function tableMarkdown ({ title, head, rows }: Table): string {
  const row = (cells: readonly TableCell[]): string => `|${cells.map(({ text }) => ` ${tidyText(text).replaceAll('|', '\\|')} `).join('|')}|`
  const table = [row(head), `|${head.map(() => '---|').join('')}`, ...rows.map(row)].join('\n')
  return [...title.map((text) => tidyText(guarded(text))), table].join('\n\n')
}
