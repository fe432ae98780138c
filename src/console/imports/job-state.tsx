/** A job's state, in a word and a colour. */
import type { JobRow } from './job-row.js'

const kinds = { queued: 'waits', processing: 'runs', completed: 'done', failed: 'wrong' } as const

export function JobState ({ job: { status, stats, queuePosition } }: { job: JobRow }) {
  const hasErrors = status === 'completed' && (stats?.errors ?? 0) > 0
  return <span class={`state ${hasErrors ? 'look' : kinds[status]}`}>{wordOf(status, hasErrors, queuePosition)}</span>
}

function wordOf (status: JobRow['status'], hasErrors: boolean, place: number | null): string {
  if (status === 'queued') return place === null ? 'Queued' : `Queued, ${place === 1 ? 'next' : `place ${place}`}`
  if (status === 'processing') return 'Processing'
  if (status === 'failed') return 'Failed'
  return hasErrors ? 'Done, with errors' : 'Done'
}

export function ProgressBar ({ percent, label }: { percent: number | null, label: string }) {
  return (
    <span class='bar' role='progressbar' aria-label={label} aria-valuemin={0} aria-valuemax={100} {...percent === null ? {} : { 'aria-valuenow': Math.round(percent) }}>
      <span style={`width:${percent ?? 0}%`} />
    </span>
  )
}
