/** A table that goes on at the top of the next page, without its head, is one table with what came before. */
import { isValue } from './cell-values.js'
import type { Block, PageContent, Table } from './page-model.js'

/** In points. */
const sameColumn = 8

export function joinContinued (pages: readonly PageContent[]): PageContent[] {
  let open: Table | null = null
  return pages.map((page) => {
    const blocks: Block[] = []
    for (const [index, block] of page.blocks.entries()) {
      if ('table' in block && open !== null && isTop(page.blocks, index) && goesOn(open, block.table)) {
        open.rows.push(block.table.head, ...block.table.rows)
        open.page = block.table.page
      } else {
        blocks.push(block)
        if ('table' in block) open = block.table
      }
    }
    return { ...page, blocks }
  })
}

const isTop = (blocks: readonly Block[], index: number): boolean => blocks.slice(0, index).every((block) => 'lines' in block && block.lines.length < 3)

const goesOn = (table: Table, next: Table): boolean =>
  next.page === table.page + 1 && next.title.length === 0 && next.repeated.length === 0 && next.head.length === table.head.length &&
  next.head.filter(({ text }) => isValue(text)).length * 2 >= next.head.length && table.head.filter(({ text }) => isValue(text)).length * 2 < table.head.length &&
  next.columns.every(({ left, right }, index) => {
    const column = table.columns[index]
    return column !== undefined && Math.min(right, column.right) - Math.max(left, column.left) > -sameColumn
  })
