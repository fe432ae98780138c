/** What a job does and did with its lines, as a bar and in numbers: while it runs, the bar is filled as far as its files are read. */
import { nameOf, type JobRow } from '../imports/job-row.js'
import { wordBytes, wordCount, wordNumber } from '../ui/format.js'

type Stats = NonNullable<JobRow['stats']>

const none: Stats = { productsProcessed: 0, productsCreated: 0, productsUpdated: 0, productsSkipped: 0, productsArchived: 0, errors: 0 }

/** `unchanged`: of those updated, whose product was like that before; null where it is not known. */
const partsOf = ({ productsCreated, productsUpdated, productsSkipped, productsArchived }: Stats, unchanged: number | null): Array<{ kind: string, title: string, count: number }> => [
  { kind: 'created', title: 'Created', count: productsCreated },
  ...unchanged === null
    ? [{ kind: 'updated', title: 'Updated or the same', count: productsUpdated }]
    : [{ kind: 'updated', title: 'Updated', count: productsUpdated - unchanged }, { kind: 'unchanged', title: 'Unchanged', count: unchanged }],
  { kind: 'skipped', title: 'Skipped, with errors', count: productsSkipped },
  ...productsArchived === 0 ? [] : [{ kind: 'archived', title: 'Archived, as absent', count: productsArchived }]
]

interface OutcomeBarProps {
  job: Pick<JobRow, 'stats' | 'progress' | 'dryRun' | 'files'>
  /** Told when it is over. */
  unchanged: number | null
  isOver: boolean
}

export function OutcomeBar ({ job, unchanged, isOver }: OutcomeBarProps) {
  const parts = partsOf(job.stats ?? none, unchanged)
  const counted = parts.filter(({ count }) => count > 0)
  const shown = counted.length > 0 || isOver ? counted : [{ kind: 'read', count: 1 }]
  const percent = isOver ? 100 : job.progress?.percent ?? null
  const role = isOver
    ? { 'aria-hidden': true }
    : { role: 'progressbar' as const, 'aria-label': `Progress of ${nameOf(job.files)}`, 'aria-valuemin': 0, 'aria-valuemax': 100, ...percent === null ? {} : { 'aria-valuenow': Math.round(percent) } }
  return (
    <figure>
      <figcaption class='small quiet' style='margin-bottom:8px'>{titleOf(job, isOver)}<br />{readOf(job, isOver)}</figcaption>
      <div class='outcome' {...role}>
        <div style={`width:${percent ?? 0}%`}>{shown.map(({ kind, count }) => <span key={kind} class={`of-${kind}`} style={`flex:${count}`} />)}</div>
      </div>
      <ul class='legend'>{parts.map(({ kind, title, count }) => <li key={kind} class={`of-${kind}`}>{title} <strong class='number'>{wordNumber(count)}</strong></li>)}</ul>
    </figure>
  )
}

const titleOf = ({ dryRun }: OutcomeBarProps['job'], isOver: boolean): string =>
  dryRun ? 'What would happen; nothing was written' : isOver ? 'What happened to the products' : 'What has happened to the products so far'

function readOf ({ progress, stats }: OutcomeBarProps['job'], isOver: boolean): string {
  if (isOver) return (stats?.productsProcessed ?? 0) === 0 ? 'No line was read.' : `${wordCount(stats?.productsProcessed ?? 0, 'line')} read`
  const { linesRead, bytesRead, bytesTotal } = progress ?? { linesRead: 0, bytesRead: 0, bytesTotal: null }
  return `${wordCount(linesRead, 'line')} read, ${wordBytes(bytesRead)}${bytesTotal === null ? '' : ` of ${wordBytes(bytesTotal)}`}`
}
