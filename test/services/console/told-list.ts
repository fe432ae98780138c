/** The list of imports, told of changes by a websocket of the test's own, as an API would tell them. */
import type { WebSocketRoute } from 'playwright-core'
import type { View } from './browser.js'

export interface ToldList {
  /** A change of any job. */
  tell (job: object): void
  /** The connection is gone; it is not answered again. */
  cut (): Promise<void>
}

export async function openToldList (view: View): Promise<ToldList> {
  let subscribed: (to: { socket: WebSocketRoute, id: string | undefined }) => void = () => {}
  const subscription = new Promise<{ socket: WebSocketRoute, id: string | undefined }>((resolve) => { subscribed = resolve })
  let isCut = false
  await view.page.routeWebSocket('**/graphql', (socket) => {
    if (isCut) {
      void socket.close({ code: 1012 })
      return
    }
    socket.onMessage((text) => {
      const { type, id } = JSON.parse(String(text)) as { type: string, id?: string }
      if (type === 'connection_init') socket.send(JSON.stringify({ type: 'connection_ack' }))
      if (type === 'ping') socket.send(JSON.stringify({ type: 'pong' }))
      if (type === 'subscribe') subscribed({ socket, id })
    })
  })
  await view.open('/imports')
  const { socket, id } = await subscription
  return {
    tell (job) { socket.send(JSON.stringify({ type: 'next', id, payload: { data: { productImportJobChanges: job } } })) },
    async cut () {
      isCut = true
      await socket.close({ code: 1012 })
    }
  }
}
