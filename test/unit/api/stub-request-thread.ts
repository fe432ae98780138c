/** In the place of bin/request-thread: does what the body says. */
import { parentPort } from 'node:worker_threads'
import type { FromRequestThread, ToRequestThread } from '../../../src/api/large-request-thread.js'

let closes = true
const send = (message: FromRequestThread): void => { parentPort?.postMessage(message) }

parentPort?.on('message', (message: ToRequestThread) => {
  if (message.type === 'close') return closes && parentPort?.close()
  const { id, body } = message
  const text = Buffer.from(body).toString().trim()
  if (text === 'die') throw new Error('died')
  if (text === 'stay') closes = false
  if (text === 'break') return send({ type: 'broke', id, error: new Error('broke') })
  if (text === 'wake') send({ type: 'wake', topic: 'imports', vendorId: 'shop', jobId: 'j1' })
  if (text === 'convert') send({ type: 'wake', topic: 'conversions', vendorId: 'shop', jobId: 'c1' })
  if (text !== 'never') send({ type: 'answer', id, answer: { status: 200, body: Buffer.from(`${text}!`), changedKeys: [] } })
})
