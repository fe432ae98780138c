/** What stands where data is not: it comes, there is none, it was refused. */
import type { ComponentChildren } from 'preact'

/** Seen after 200 ms alone. */
export function Skeleton ({ rows = 6 }: { rows?: number }) {
  return (
    <div class='skeleton' role='status'>
      <span class='sr-only' style='height:1px'>Loading</span>
      {Array.from({ length: rows }, (_, row) => <span key={row} style={`width:${92 - (row * 23) % 48}%`} />)}
    </div>
  )
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
