/** Uploads that this process is receiving: a few of a vendor at a time, and of one file a single one, the newest. */
import { conflict, limitExceeded } from '../../errors.js'

export interface RunningUploads {
  /** Throws LIMIT_EXCEEDED when too many run. `signal` is aborted when somebody goes on with the upload elsewhere. */
  run (vendorId: string, id: string, work: (signal: AbortSignal) => Promise<void>): Promise<void>
  /** Ends the one that runs, and waits for its end: what it has written is there then, and no more comes. */
  end (vendorId: string, id: string): Promise<void>
}

/** Each holds a connection to the file server. */
const maxOfVendor = 8

interface Running { vendorId: string, stop: AbortController, ended: Promise<unknown> }

export function createRunningUploads (): RunningUploads {
  const all = new Map<string, Running>()
  const keyOf = (vendorId: string, id: string): string => `${vendorId} ${id}`

  return {
    async run (vendorId, id, work) {
      const key = keyOf(vendorId, id)
      // Two that come at once: one of them has to look again how far the file is.
      if (all.has(key)) throw conflict('The upload is being received', 'Upload-Offset')
      if ([...all.values()].filter((upload) => upload.vendorId === vendorId).length >= maxOfVendor) throw limitExceeded(`At most ${maxOfVendor} files may be uploaded at a time`)
      const stop = new AbortController()
      const working = work(stop.signal)
      all.set(key, { vendorId, stop, ended: working.catch(() => { /* told to who runs it */ }) })
      try {
        await working
      } finally {
        all.delete(key)
      }
    },
    async end (vendorId, id) {
      const upload = all.get(keyOf(vendorId, id))
      if (upload === undefined) return
      upload.stop.abort(conflict('The upload goes on over another connection', 'Upload-Offset'))
      await upload.ended
    }
  }
}
