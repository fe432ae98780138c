/** A thread that says it serves, and does nothing until it is told to close; or dies at once. */
import { parentPort, workerData } from 'node:worker_threads'

parentPort?.postMessage({ address: { host: '127.0.0.1', port: 1 }, hostKeyFingerprint: '' })
if ((workerData as { dies: boolean }).dies) setImmediate(() => { process.exit() })
else parentPort?.on('message', () => { parentPort?.close() })
