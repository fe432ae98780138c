/** Subscriptions over one websocket, which comes back by itself. The credential goes in its connection parameters, never in an address. */
import { createClient, type Client } from 'graphql-ws'
import { signal } from '@preact/signals'
import { headersOf } from './credential.js'
import type { Operation } from './operations.js'
import { credential, vendor } from './session.js'

/** Whether what is shown is kept up to date; null while nothing is followed. */
export const isLive = signal<boolean | null>(null)

const firstWaitMs = 250
const longestWaitMs = 10_000
/** After that the service has looked at what is followed, and tells whatever changes. */
const settledMs = 1_000

let client: { of: string, client: Client } | null = null

function clientFor (vendorId: string | null): Client {
  const of = `${vendorId ?? ''} ${credential.value ?? ''}`
  if (client?.of === of) return client.client
  void client?.client.dispose()
  const created = createClient({
    url: `${location.origin.replace(/^http/, 'ws')}/graphql`,
    connectionParams: () => credential.value === null ? {} : headersOf(credential.value, vendorId),
    retryAttempts: Infinity,
    retryWait: async (retries) => {
      const waitMs = Math.min(firstWaitMs * 2 ** retries, longestWaitMs)
      await new Promise((resolve) => { setTimeout(resolve, waitMs * (0.75 + Math.random() / 2)) })
    },
    // Also a service that is gone, or being started again.
    shouldRetry: (error) => !(error instanceof CloseEvent && (error.code === 4401 || error.code === 4403)),
    on: {
      connected: () => { isLive.value = true },
      closed: () => { isLive.value = false }
    }
  })
  client = { of, client: created }
  return created
}

export interface Follower<Data> {
  onEvent (data: Data): void
  /** It does not come back. */
  onFailure (error: Error): void
  /** It has come back after a break: what ended meanwhile is not told. */
  onAgain? (): void
}

/** Each event to `onEvent`, until what is given back is called. After a break it begins again from the state as it is. */
export function follow<Data, Variables> (operation: Operation<Data, Variables>, variables: Variables, { onEvent, onFailure, onAgain }: Follower<Data>): () => void {
  const connection = clientFor(vendor.value?.id ?? null)
  let again: ReturnType<typeof setTimeout> | undefined
  const unlisten = connection.on('connected', (_socket, _payload, wasRetry) => {
    if (!wasRetry || onAgain === undefined) return
    clearTimeout(again)
    again = setTimeout(onAgain, settledMs)
  })
  const stop = connection.subscribe<Data>({ query: operation, variables: variables as Record<string, unknown> }, {
    next: ({ data, errors }) => {
      if (data !== undefined && data !== null) onEvent(data)
      else if (errors?.[0] !== undefined) onFailure(new Error(errors[0].message))
    },
    error: (error) => { onFailure(error instanceof Error ? error : new Error(reasonOf(error))) },
    complete: () => {}
  })
  return () => {
    isLive.value = null
    clearTimeout(again)
    unlisten()
    stop()
  }
}

/** Of a connection that was closed for good, or a subscription that was refused. */
function reasonOf (failure: unknown): string {
  const [first] = Array.isArray(failure) ? failure as Array<{ message: string }> : []
  const reason = first?.message ?? (failure instanceof CloseEvent ? failure.reason : '')
  return reason === '' ? 'the service does not tell what changes' : reason.replace(/\.$/, '')
}
