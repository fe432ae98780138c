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

/**
 * Each event to `onEvent`, until what is given back is called. After a break it begins again from the state as it is; `onFailure` is told of
 * what does not come back.
 */
export function follow<Data, Variables> (
  operation: Operation<Data, Variables>, variables: Variables, { onEvent, onFailure }: { onEvent: (data: Data) => void, onFailure: (error: Error) => void }
): () => void {
  const stop = clientFor(vendor.value?.id ?? null).subscribe<Data>({ query: operation, variables: variables as Record<string, unknown> }, {
    next: ({ data, errors }) => {
      if (data !== undefined && data !== null) onEvent(data)
      else if (errors?.[0] !== undefined) onFailure(new Error(errors[0].message))
    },
    error: (error) => { onFailure(error instanceof Error ? error : new Error('What changes cannot be followed; reload to see it.')) },
    complete: () => {}
  })
  return () => {
    isLive.value = null
    stop()
  }
}
