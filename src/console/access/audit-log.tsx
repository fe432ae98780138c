/** Who asked for what at this vendor, and what came of it. */
import { auditLog, type AuditActor, type AuditLogQuery } from '../api/operations.js'
import { vendor } from '../api/session.js'
import { spanOf } from '../analytics/period.js'
import { queryOf, setQuery } from '../router.js'
import { Field, valueOf } from '../ui/field.js'
import { wordFullTime } from '../ui/format.js'
import { Pager } from '../ui/pager.js'
import { Empty, Failure, Skeleton } from '../ui/states.js'
import { useAnswer } from '../ui/use-answer.js'

type Event = AuditLogQuery['auditEvents']['nodes'][number]

const outcomes = { DONE: ['done', 'Done'], REFUSED: ['wrong', 'Refused'], PENDING: ['look', 'Unknown'] } as const

export function AuditLog () {
  const actor = (queryOf('actor') || null) as AuditActor | null
  const among = { actor, by: queryOf('by') || null, action: queryOf('action') || null, ...spanOf({ from: queryOf('from'), to: queryOf('to') }) }
  const isFiltered = Object.values(among).some((value) => value !== null)
  const { data, error, isLoading, reload } = useAnswer(auditLog, { vendorId: vendor.value?.id ?? '', cursor: queryOf('after') || null, ...among })
  const events = data?.auditEvents.nodes ?? []
  return (
    <>
      <p class='quiet' style='margin-bottom:12px'>Of the last year, the newest first. What was sent is not kept, only what it was about.</p>
      <div class='filters'>
        <Field label='Kind'>
          <select value={actor ?? ''} onChange={(event) => { setQuery({ actor: valueOf(event), after: null }) }}>
            <option value=''>Everybody</option><option value='USER'>Users</option><option value='INTEGRATION_KEY'>Integration keys</option><option value='OPERATOR'>Operators</option>
          </select>
        </Field>
        <Field label='Who'><input type='search' value={among.by ?? ''} placeholder='Id of a user or key' onChange={(event) => { setQuery({ by: valueOf(event).trim(), after: null }) }} /></Field>
        <Field label='What'><input value={among.action ?? ''} placeholder='Such as processProductImport' onChange={(event) => { setQuery({ action: valueOf(event).trim(), after: null }) }} /></Field>
        <Field label='From'><input type='date' value={queryOf('from')} onChange={(event) => { setQuery({ from: valueOf(event), after: null }) }} /></Field>
        <Field label='To'><input type='date' value={queryOf('to')} onChange={(event) => { setQuery({ to: valueOf(event), after: null }) }} /></Field>
      </div>
      {error !== null && <Failure error={error} retry={reload} />}
      {error === null && data === null && <Skeleton rows={10} />}
      {data !== null && events.length === 0 && (isFiltered ? <p class='quiet'>Nothing is like that. <button type='button' class='plain' onClick={() => { setQuery({ actor: null, by: null, action: null, from: null, to: null, after: null }) }}>Show all</button></p> : <Empty title='Nothing has been done yet' />)}
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
