/** What the service as a whole is at: its parts, its workers, and which vendors wait. For whoever runs it. */
import { useEffect } from 'preact/hooks'
import { service, type ServiceQuery } from '../api/operations.js'
import { wordCount, wordDuration, wordFullTime, wordNumber } from '../ui/format.js'
import { Page } from '../ui/page.js'
import { Failure, Skeleton } from '../ui/states.js'
import { useAnswer } from '../ui/use-answer.js'

type State = ServiceQuery['service']
type Lane = State['lanes'][number]

const lookAgainMs = 5_000
/** A worker gives a sign of life every few seconds. */
const silentMs = 2 * 60_000
const titles: Record<string, string> = { database: 'Database', queue: 'Kafka', files: 'File server' }

export function ServicePage () {
  const { data, error, reload } = useAnswer(service, {})
  useEffect(() => {
    const timer = setInterval(reload, lookAgainMs)
    return () => { clearInterval(timer) }
  }, [reload])
  if (error !== null) return <Page title='Service'><Failure error={error} retry={reload} /></Page>
  if (data === null) return <Page title='Service'><Skeleton rows={8} /></Page>
  const { parts, workers, lanes, lastHour, ...state } = data.service
  const nowMs = Date.now()
  return (
    <Page title='Service'>
      <p class='quiet' style='margin-bottom:16px'>Of all vendors, as of now. The alerts and the dashboard of docs/operations.md look further back.</p>
      <dl class='facts' style='margin-bottom:24px'>
        {parts.map(({ name, isAvailable }) => <div key={name}><dt>{titles[name] ?? name}</dt><dd><span class={`state ${isAvailable ? 'done' : 'wrong'}`}>{isAvailable ? 'Available' : 'Away'}</span></dd></div>)}
        <div><dt>Vendors that run</dt><dd class='large'>{wordNumber(state.vendorsRunning)}</dd></div>
        <div><dt>Vendors that wait</dt><dd class='large'>{wordNumber(state.vendorsWaiting)}</dd></div>
        <div><dt>Imports queued</dt><dd class='large'>{wordNumber(state.jobsQueued)}</dd></div>
        <div><dt>Longest wait</dt><dd class='large'>{state.waitingSince === null ? '—' : wordDuration(nowMs - Date.parse(state.waitingSince))}</dd></div>
        <div><dt>Lines per second</dt><dd class='large'>{wordNumber(Math.round(lanes.reduce((sum, lane) => sum + speedOf(lane, nowMs), 0)))}</dd></div>
        <div><dt>In the last hour</dt><dd>{wordCount(lastHour.imports, 'import')}, {wordCount(lastHour.lines, 'line')}{lastHour.failed > 0 && <span class='wrong'>, {wordNumber(lastHour.failed)} failed</span>}</dd></div>
      </dl>
      <Workers workers={workers} nowMs={nowMs} />
      {/* Below all else, for they come and go. */}
      <Lanes lanes={lanes} nowMs={nowMs} />
    </Page>
  )
}

/** Since the import began; a worker tells of its lines every second or so. */
const speedOf = ({ running }: Lane, nowMs: number): number =>
  running === null || running.startedAt === null ? 0 : running.linesRead / Math.max(1, (nowMs - Date.parse(running.startedAt)) / 1_000)

function Lanes ({ lanes, nowMs }: { lanes: readonly Lane[], nowMs: number }) {
  return (
    <section>
      <h2>Lanes</h2>
      {lanes.length === 0 && <p class='quiet'>No import waits or runs.</p>}
      {lanes.length > 0 && (
        <div class='table' role='region' aria-label='Lanes' tabIndex={0}>
          <table>
            <thead><tr><th>Vendor</th><th>State</th><th class='number'>Queued</th><th class='number'>Lines read</th><th class='number'>Lines/s</th><th>Worker</th></tr></thead>
            <tbody>
              {lanes.map((lane) => (
                <tr key={lane.vendorId}>
                  <td class='wrap'>{lane.vendorId}</td>
                  <td class='nowrap'><span class={`state ${lane.running?.workerId == null ? 'waits' : 'runs'}`}>{lane.running?.workerId == null ? 'Waits for a worker' : `Runs${lane.running.attempt > 1 ? `, attempt ${lane.running.attempt}` : ''}`}</span></td>
                  <td class='number'>{wordNumber(lane.queued)}</td>
                  <td class='number'>{wordNumber(lane.running?.linesRead)}</td>
                  <td class='number'>{wordNumber(Math.round(speedOf(lane, nowMs)))}</td>
                  <td class='wrap small'>{lane.running?.workerId}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}

function Workers ({ workers, nowMs }: { workers: State['workers'], nowMs: number }) {
  return (
    <section>
      <h2>Workers</h2>
      {workers.length === 0 && <p class='notice look'>None has given a sign of life for a day: imports wait until one is started.</p>}
      {workers.length > 0 && (
        <div class='table' role='region' aria-label='Workers' tabIndex={0}>
          <table>
            <thead><tr><th>Worker</th><th>State</th><th>Last sign of life</th></tr></thead>
            <tbody>
              {workers.map(({ id, heartbeatAt }) => {
                const isSilent = nowMs - Date.parse(heartbeatAt) > silentMs
                return <tr key={id}><td class='wrap'><code>{id}</code></td><td class='nowrap'><span class={`state ${isSilent ? 'look' : 'done'}`}>{isSilent ? 'Silent' : 'Alive'}</span></td><td class='nowrap'>{wordFullTime(heartbeatAt)}</td></tr>
              })}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}
