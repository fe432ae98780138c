/** Who asked for what at this vendor, and what came of it. */
import { auditLog, type AuditLogQuery } from '../api/operations.js'
import { vendor } from '../api/session.js'
import { queryOf } from '../router.js'
import { wordFullTime } from '../ui/format.js'
import { Pager } from '../ui/pager.js'
import { Empty, Failure, Skeleton } from '../ui/states.js'
import { useAnswer } from '../ui/use-answer.js'

type Event = AuditLogQuery['auditEvents']['nodes'][number]

const outcomes = { DONE: ['done', 'Done'], REFUSED: ['wrong', 'Refused'], PENDING: ['look', 'Unknown'] } as const

export function AuditLog () {
  const { data, error, isLoading, reload } = useAnswer(auditLog, { vendorId: vendor.value?.id ?? '', cursor: queryOf('after') || null })
  const events = data?.auditEvents.nodes ?? []
  return (
    <>
      <p class='quiet' style='margin-bottom:12px'>Of the last year, the newest first. What was sent is not kept, only what it was about.</p>
      {error !== null && <Failure error={error} retry={reload} />}
      {error === null && data === null && <Skeleton rows={10} />}
      {data !== null && events.length === 0 && <Empty title='Nothing has been done yet' />}
      {events.length > 0 && (
        <div class='table' role='region' aria-label='Audit log' tabIndex={0} aria-busy={isLoading}>
          <table>
            <thead><tr><th>Time</th><th>Who</th><th>What</th><th>About</th><th>Outcome</th></tr></thead>
            <tbody>
              {events.map((event) => (
                <tr key={event.id}>
                  <td class='nowrap'>{wordFullTime(event.at)}</td><td class='wrap'>{who(event)}</td><td class='wrap'>{event.action}</td><td class='wrap'>{event.targetId !== null && <code>{event.targetId}</code>}</td>
                  <td class='nowrap'><span class={`state ${outcomes[event.outcome][0]}`}>{outcomes[event.outcome][1]}{event.code !== null && <span class='small quiet'> {event.code}</span>}</span></td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {data !== null && events.length > 0 && <Pager shown={events.length} total={data.auditEvents.totalCount} endCursor={data.auditEvents.endCursor} hasNextPage={data.auditEvents.hasNextPage} of='events' />}
    </>
  )
}

function who ({ actor, userId, keyId }: Event): string {
  if (actor === 'OPERATOR') return 'An operator, at the command line'
  if (actor === 'INTEGRATION_KEY') return `Integration key ${keyId ?? ''}`
  return keyId === null ? userId ?? '' : `${userId ?? ''}, by key ${keyId}`
}
