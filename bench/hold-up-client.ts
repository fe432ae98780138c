/** Sends one request of bench/hold-ups, from a process of its own: what an answer of megabytes costs its reader is not what is measured. */
import { once } from 'node:events'
import type { HoldUpShape } from './hold-up-shapes.js'

export interface HoldUpReport { tookMs: number, status: number, bytes: number, error: string }

if (process.send === undefined) throw new Error('hold-up-client is run by bench/hold-ups only')
const [{ url, apiKey, request: { method, path, body } }] = await once(process, 'message') as [{ url: string, apiKey: string, request: HoldUpShape['request'] }]
const headers = { 'x-vendor-api-key': apiKey, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
const startMs = performance.now()
const response = await fetch(`${url}${path}`, { method, headers, body: body === undefined ? null : JSON.stringify(body) })
const answer = Buffer.from(await response.arrayBuffer())
const text = answer.subarray(0, 300).toString()
process.send({ tookMs: performance.now() - startMs, status: response.status, bytes: answer.length, error: /"errors?":.*?"message":"(.{0,80})/.exec(text)?.[1] ?? '' } satisfies HoldUpReport)
process.disconnect()
