/** What a job did with its lines, as a bar and in numbers. */
import type { JobRow } from '../imports/job-row.js'
import { wordNumber } from '../ui/format.js'

const parts = [
  ['created', 'Created', 'productsCreated'], ['updated', 'Updated or the same', 'productsUpdated'],
  ['skipped', 'Skipped, with errors', 'productsSkipped'], ['archived', 'Archived, as absent', 'productsArchived']
] as const

export function OutcomeBar ({ stats, isDryRun }: { stats: NonNullable<JobRow['stats']>, isDryRun: boolean }) {
  const total = parts.reduce((sum, [, , field]) => sum + stats[field], 0)
  if (total === 0) return <p class='quiet'>No line was read.</p>
  return (
    <figure>
      <figcaption class='small quiet' style='margin-bottom:8px'>{isDryRun ? 'What would happen; nothing was written' : 'What happened to the products'}</figcaption>
      <div class='outcome' aria-hidden='true'>
        {parts.filter(([, , field]) => stats[field] > 0).map(([kind, , field]) => <span key={kind} class={`of-${kind}`} style={`flex:${stats[field]}`} />)}
      </div>
      <ul class='legend'>
        {parts.filter(([kind, , field]) => stats[field] > 0 || kind !== 'archived').map(([kind, title, field]) => <li key={kind} class={`of-${kind}`}>{title} <strong>{wordNumber(stats[field])}</strong></li>)}
      </ul>
    </figure>
  )
}
