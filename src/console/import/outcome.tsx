/** What a job did with its lines, as a bar and in numbers. */
import type { JobRow } from '../imports/job-row.js'
import { wordNumber } from '../ui/format.js'

type Stats = NonNullable<JobRow['stats']>

/** `unchanged`: of those updated, whose product was like that before; null where it is not known. */
const partsOf = ({ productsCreated, productsUpdated, productsSkipped, productsArchived }: Stats, unchanged: number | null): Array<{ kind: string, title: string, count: number }> => [
  { kind: 'created', title: 'Created', count: productsCreated },
  ...unchanged === null
    ? [{ kind: 'updated', title: 'Updated or the same', count: productsUpdated }]
    : [{ kind: 'updated', title: 'Updated', count: productsUpdated - unchanged }, { kind: 'unchanged', title: 'Unchanged', count: unchanged }],
  { kind: 'skipped', title: 'Skipped, with errors', count: productsSkipped },
  ...productsArchived === 0 ? [] : [{ kind: 'archived', title: 'Archived, as absent', count: productsArchived }]
]

/** `isOver`: only then is it told which products were left as they were. */
export function OutcomeBar ({ stats, unchanged, isDryRun, isOver }: { stats: Stats, unchanged: number | null, isDryRun: boolean, isOver: boolean }) {
  const parts = partsOf(stats, unchanged)
  const shown = parts.filter(({ count }) => count > 0)
  if (shown.length === 0) return <p class='quiet'>No line was read.</p>
  return (
    <figure>
      <figcaption class='small quiet' style='margin-bottom:8px'>{isDryRun ? 'What would happen; nothing was written' : isOver ? 'What happened to the products' : 'What has happened to the products so far'}</figcaption>
      <div class='outcome' aria-hidden='true'>{shown.map(({ kind, count }) => <span key={kind} class={`of-${kind}`} style={`flex:${count}`} />)}</div>
      <ul class='legend'>{parts.map(({ kind, title, count }) => <li key={kind} class={`of-${kind}`}>{title} <strong>{wordNumber(count)}</strong></li>)}</ul>
    </figure>
  )
}
