/** What stands where data is not: it comes, there is none, it was refused. */
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import { createWaits } from './waits.js'

/** What comes sooner is shown without anything before it. */
const patienceMs = 200

const waits = createWaits(() => performance.now())

/** Of what is seen after the reader has waited for so long alone: less than nothing where that was before. */
function usePatience (): string {
  const [waitedMs] = useState(() => waits.begin())
  useLayoutEffect(() => () => { waits.end() }, [])
  return `animation-delay:${Math.round(patienceMs - waitedMs)}ms`
}

/** Rows as high as a table's. */
export function Skeleton ({ rows = 6 }: { rows?: number }) {
  const style = usePatience()
  return (
    <div class='skeleton' role='status' style={style}>
      <span class='sr-only'>Loading</span>
      {Array.from({ length: rows }, (_, row) => <span key={row} style={`width:${92 - (row * 23) % 48}%`} />)}
    </div>
  )
}

/** In the place of a word or a number that comes later than what is around it. */
export function Pending () {
  const style = usePatience()
  return <span class='skeleton word' style={style}><span class='sr-only'>Loading</span></span>
}

export function Empty ({ title, children }: { title: string, children?: ComponentChildren }) {
  return <div class='empty'><h2>{title}</h2>{children}</div>
}

const advice: Record<string, string> = {
  FORBIDDEN: 'Your key or user does not have this permission. An owner or admin of the vendor can give it.',
  UNREACHABLE: '',
  SERVICE_UNAVAILABLE: 'Something that the service needs is away. Try again in a moment.',
  RATE_LIMITED: 'Wait a moment, then try again.',
  INTERNAL_SERVER_ERROR: 'The service\'s log says more.'
}

export function Failure ({ error, retry }: { error: Error & { code?: string }, retry?: () => void }) {
  const hint = advice[error.code ?? ''] ?? ''
  return (
    <div class='notice wrong' role='alert'>
      <p><strong>{error.message}</strong></p>
      {hint !== '' && <p>{hint}</p>}
      {retry !== undefined && error.code !== 'FORBIDDEN' && <button type='button' onClick={retry}>Try again</button>}
    </div>
  )
}
