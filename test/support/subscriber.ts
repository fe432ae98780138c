import type { Socket } from 'node:net'
import type { Test } from 'tap'
import WebSocket from 'ws'

export interface Message { type: string, id?: string, payload?: any } // eslint-disable-line @typescript-eslint/no-explicit-any

/** Of the protocol graphql-transport-ws, its messages as they are. */
export interface Client {
  send (message: object): void
  /** Whatever it is. */
  sendText (text: string): void
  /** What is sent within goes out in one piece. */
  cork (work: () => void): void
  next (): Promise<Message>
  closed: Promise<number>
  close (): void
}

/** Of the API on that port of this machine; not yet initialised. */
export async function connect (t: Test, port: number, headers: Record<string, string> = {}, protocol = 'graphql-transport-ws'): Promise<Client> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/graphql`, protocol, { headers })
  let connection: Socket | undefined
  socket.on('upgrade', (response) => { connection = response.socket })
  const inbox: Message[] = []
  const waiting: Array<(message: Message) => void> = []
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString()) as Message
    if (message.type === 'ping') return
    const waiter = waiting.shift()
    if (waiter === undefined) inbox.push(message)
    else waiter(message)
  })
  const closed = new Promise<number>((resolve) => { socket.on('close', resolve) })
  await new Promise((resolve, reject) => { socket.on('open', resolve).on('error', reject) })
  t.teardown(() => { socket.terminate() })
  return {
    send: (message) => { socket.send(JSON.stringify(message)) },
    sendText: (text) => { socket.send(text) },
    cork (work) {
      connection?.cork()
      work()
      connection?.uncork()
    },
    next: async () => inbox.shift() ?? await new Promise((resolve) => { waiting.push(resolve) }),
    closed,
    close: () => { socket.close() }
  }
}

/** The message that begins to follow the job. */
export const follow = (jobId: string, id = '1') => ({
  type: 'subscribe',
  id,
  payload: {
    query: 'subscription ($id: ID!) { productImportJobProgress(jobId: $id) { status queuePosition errorDetails { line } progress { bytesRead percent } } }',
    variables: { id: jobId }
  }
})
