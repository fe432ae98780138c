/**
 * The other side of bench/hostile, each in a process of its own so that what is watched, the loop and the memory, is the service's alone: the
 * hostile vendor's files and requests, another vendor's deltas, and a third one's reads. Runs until it is told to stop, then tells what it has
 * measured. Says 'begun' before its first request.
 */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

export type HostileClient = { url: string, apiKey: string } & (
  | { role: 'requests', bodyFile: string, callers: number }
  | { role: 'imports', file: string, mode: 'UPDATE' }
  | { role: 'deltas', files: string[] }
  | { role: 'reads', externalId: string }
)

export interface HostileReport {
  /** Of each that was answered or has ended, in the order in which they were. */
  tookMs: number[]
  /** From the request to cancel until the job has ended; null where none ran. */
  cancelMs: number | null
  refused: Record<string, number>
}

if (process.send === undefined) throw new Error('hostile-client is run by bench/hostile only')
const [client] = await once(process, 'message') as [HostileClient]
const stop = new AbortController()
const isStopped = (): boolean => stop.signal.aborted
process.on('message', () => { stop.abort() })
const tookMs: number[] = []
const refused: Record<string, number> = {}
let cancelMs: number | null = null

const headers = { 'content-type': 'application/json', 'x-vendor-api-key': client.apiKey }
interface Answer { data?: Record<string, unknown> | null, errors?: Array<{ extensions?: { code?: string } }> }

/** null: not answered. */
async function ask (body: string | Uint8Array): Promise<Answer | null> {
  try {
    const response = await fetch(`${client.url}/graphql`, { method: 'POST', headers, body: body as string })
    const answer = await response.json() as Answer
    const code = answer.errors?.[0]?.extensions?.code
    if (code !== undefined) refused[code] = (refused[code] ?? 0) + 1
    return answer
  } catch (error) {
    const code = String((error as { cause?: { code?: string } }).cause?.code ?? error)
    refused[code] = (refused[code] ?? 0) + 1
    await delay(100)
    return null
  }
}

const operation = async (query: string, variables: object = {}): Promise<Answer | null> => await ask(JSON.stringify({ query, variables }))

async function timed (work: () => Promise<unknown>): Promise<void> {
  const startMs = performance.now()
  await work()
  tookMs.push(performance.now() - startMs)
}

async function start (file: string): Promise<string | null> {
  const answer = await operation('mutation ($files: [String!]!) { processProductImport(input: { files: $files, mode: UPDATE }) { jobId } }', { files: [file] })
  return (answer?.data?.['processProductImport'] as { jobId?: string } | null | undefined)?.jobId ?? null
}

async function hasEnded (jobId: string): Promise<boolean> {
  const answer = await operation('query ($jobId: ID!) { productImportJob(jobId: $jobId) { status } }', { jobId })
  const status = (answer?.data?.['productImportJob'] as { status?: string } | null | undefined)?.status
  return status === 'completed' || status === 'failed'
}

async function untilEnded (jobId: string, everyMs: number): Promise<void> {
  while (!await hasEnded(jobId)) await delay(everyMs)
}

const roles: Record<HostileClient['role'], () => Promise<void>> = {
  async requests () {
    if (client.role !== 'requests') return
    const { bodyFile, callers } = client
    const body = await readFile(bodyFile)
    await Promise.all(Array.from({ length: callers }, async () => {
      while (!isStopped()) await timed(async () => await ask(body))
    }))
  },

  /** One job after the other; the one that still runs in the end is cancelled. */
  async imports () {
    if (client.role !== 'imports') return
    while (!isStopped()) {
      const jobId = await start(client.file)
      if (jobId === null) {
        await delay(500)
        continue
      }
      const startMs = performance.now()
      while (!isStopped() && !await hasEnded(jobId)) await delay(100)
      if (!isStopped()) tookMs.push(performance.now() - startMs)
      else {
        const cancelledMs = performance.now()
        await operation('mutation ($jobId: ID!) { cancelProductImport(jobId: $jobId) { status } }', { jobId })
        while (!await hasEnded(jobId) && performance.now() - cancelledMs < 60_000) await delay(20)
        cancelMs = performance.now() - cancelledMs
      }
    }
  },

  async deltas () {
    if (client.role !== 'deltas') return
    for (let n = 0; !isStopped(); n++) {
      await timed(async () => {
        const jobId = await start(client.files[n % client.files.length] ?? '')
        if (jobId !== null) await untilEnded(jobId, 20)
      })
    }
  },

  async reads () {
    if (client.role !== 'reads') return
    const { externalId: id } = client
    while (!isStopped()) {
      await timed(async () => await operation('query ($id: String!) { product(externalId: $id) { externalId name } }', { id }))
      await delay(10)
    }
  }
}

process.send('begun')
await roles[client.role]()
process.send({ tookMs, cancelMs, refused } satisfies HostileReport)
process.disconnect()
