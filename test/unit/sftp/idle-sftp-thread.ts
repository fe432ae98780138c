/** A thread that says it serves, and does nothing until it is told to close; or dies at once; or never says anything. */
import { parentPort, workerData } from 'node:worker_threads'

export interface IdleThreadData { dies?: boolean, isMute?: boolean }

const { dies = false, isMute = false } = workerData as IdleThreadData
if (!isMute) parentPort?.postMessage({ address: { host: '127.0.0.1', port: 1 }, hostKeyFingerprint: '', otherHostKeyFingerprints: [] })
if (dies) setImmediate(() => { process.exit() })
else parentPort?.on('message', () => { parentPort?.close() })
