/**
 * Access tokens for OAUTHBEARER, from a token endpoint (OAuth 2.0, client credentials: RFC 6749, 4.4). node-rdkafka's build of librdkafka cannot
 * fetch them itself. One that has been given is renewed when four fifths of its life are over; until a new one comes the old one stays.
 */
import type { Logger } from 'pino'
import type { BrokerFaults } from './broker-faults.js'

export interface TokenSource {
  /** Calls `take` with the token that there is, and with each that follows. The result ends that. */
  give (take: (token: string) => void): () => void
  current (): string | undefined
  close (): void
}

export interface TokenSourceOptions {
  url: string
  scope: string | undefined
  /** Read for each token: they may change. */
  credentials: () => { id: string, secret: string }
  faults: BrokerFaults
  log: Logger
}

const timeoutMs = 10_000
const retryMs = 5_000
/** Of an endpoint that does not say how long its token lives. */
const defaultLifeSeconds = 300
const maxAnswerBytes = 64 * 1024

export function createTokenSource ({ url, scope, credentials, faults, log }: TokenSourceOptions): TokenSource {
  const takers = new Set<(token: string) => void>()
  const closing = new AbortController()
  let token: string | undefined
  let timer: NodeJS.Timeout | undefined

  async function renew (): Promise<void> {
    let inMs = retryMs
    try {
      const answer = await fetchToken(url, scope, credentials(), closing.signal)
      token = answer.token
      inMs = Math.max(1_000, answer.lifeSeconds * 800)
      for (const take of takers) take(token)
      log.debug({ lifeSeconds: answer.lifeSeconds }, 'Kafka: a new access token')
    } catch (error) {
      if (closing.signal.aborted) return
      faults.note('connection', `The token endpoint for Kafka, ${url}, gives no token: ${error instanceof Error ? error.message : String(error)}`)
    }
    timer = setTimeout(() => { void renew() }, inMs).unref()
  }
  void renew()

  return {
    give (take) {
      takers.add(take)
      if (token !== undefined) take(token)
      return () => { takers.delete(take) }
    },
    current: () => token,
    close () {
      closing.abort()
      clearTimeout(timer)
    }
  }
}

async function fetchToken (
  url: string, scope: string | undefined, { id, secret }: { id: string, secret: string }, closing: AbortSignal
): Promise<{ token: string, lifeSeconds: number }> {
  const form = new URLSearchParams({ grant_type: 'client_credentials', ...scope === undefined ? {} : { scope } })
  const response = await fetch(url, {
    method: 'POST',
    redirect: 'error',
    headers: { authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`, accept: 'application/json' },
    body: form,
    signal: AbortSignal.any([closing, AbortSignal.timeout(timeoutMs)])
  })
  const text = await readBounded(response)
  // The answer is not repeated: it may hold what was sent.
  if (!response.ok) throw new Error(`it answers ${response.status}`)
  const { access_token: token, expires_in: life } = parseObject(text)
  if (typeof token !== 'string' || token === '') throw new Error('its answer holds no access_token')
  return { token, lifeSeconds: typeof life === 'number' && life > 0 ? Math.min(life, 24 * 60 * 60) : defaultLifeSeconds }
}

async function readBounded (response: Response): Promise<string> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += piece.length
    if (bytes > maxAnswerBytes) throw new Error(`its answer has more than ${maxAnswerBytes} bytes`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}

function parseObject (text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>
  } catch {
    throw new Error('its answer is no JSON')
  }
}
