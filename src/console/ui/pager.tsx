/** Pages by cursor: forward, and back to the first. The cursor stands in the address. */
import { queryOf, setQuery } from '../router.js'
import { wordNumber } from './format.js'
import { Pending } from './states.js'

interface PagerProps {
  shown: number
  /** null: it is not known. */
  total: number | 'pending' | null
  /** There may be more than were counted. */
  isAtLeast?: boolean
  endCursor: string | null | undefined
  hasNextPage: boolean
  of: string
}

export function Pager ({ shown, total, isAtLeast = false, endCursor, hasNextPage, of }: PagerProps) {
  const isFirst = queryOf('after') === ''
  const turn = (cursor: string | null): void => {
    setQuery({ after: cursor }, { replace: false })
    scrollTo(0, 0)
  }
  return (
    <nav class='pager' aria-label='Pages'>
      {!isFirst && <button type='button' onClick={() => { history.back() }}>Back</button>}
      {!isFirst && <button type='button' onClick={() => { turn(null) }}>First page</button>}
      {hasNextPage && endCursor !== null && endCursor !== undefined && <button type='button' onClick={() => { turn(endCursor) }}>Next page</button>}
      <span class='quiet'>{wordNumber(shown)} shown{total === 'pending' ? <> of <Pending /></> : total === null ? '' : ` of ${isAtLeast ? 'at least ' : ''}${wordNumber(total)} ${of}`}</span>
    </nav>
  )
}
