/**
 * Begins a thread with the heap that it is given. The main thread's young generation is bounded by a flag of the process (docs/operations.md), for which V8 has no
 * other way; and of a thread that begins, the flag goes before its own limits. So the flag is taken back first: the main thread's heap has read it when it was made. (The SFTP server's thread may have either: its own limit is the same.)
 */
import { setFlagsFromString } from 'node:v8'
import { Worker, type ResourceLimits } from 'node:worker_threads'

export function startThread (entry: URL, data: unknown, resourceLimits: ResourceLimits): Worker {
  setFlagsFromString('--max-semi-space-size=0')
  return new Worker(entry, { workerData: data, resourceLimits })
}
