/**
 * Deletes files 30 days after their upload (interface.md, SFTP), but never while a queued or processing job names them. Where the server
 * does not vouch for the time of upload, it is that of the first round which finds the file.
 */
import type { Logger } from 'pino'
import type { SftpFiles } from '../sources/sftp-files.js'
import type { Repositories } from '../store/repositories.js'
import { startRounds, type Rounds } from './rounds.js'

const retentionMs = 30 * 24 * 60 * 60 * 1_000
const intervalMs = 60 * 60 * 1_000

export interface RetentionOptions {
  repositories: Pick<Repositories, 'vendors' | 'importJobs' | 'lanes' | 'fileSightings'>
  files: Pick<SftpFiles, 'list' | 'remove'>
  log: Logger
  now?: () => number
}

/** One round over all vendors. A vendor whose files cannot be listed does not stop the others. */
export async function sweepFiles ({ repositories, files, log, now = Date.now }: RetentionOptions): Promise<void> {
  for await (const vendorId of repositories.vendors.ids()) {
    try {
      const listed = await files.list(vendorId)
      const firstSeenMs = await repositories.fileSightings.update(vendorId, listed.filter(({ uploadedAtMs }) => uploadedAtMs === null), now())
      const expired = listed.filter(({ name, uploadedAtMs }) => {
        const sinceMs = uploadedAtMs ?? firstSeenMs.get(name)
        return sinceMs !== undefined && sinceMs < now() - retentionMs
      })
      if (expired.length === 0) continue
      // Looked up after the list: a job accepted since then names a file that is still there.
      const inUse = await filesInUse(repositories, vendorId)
      for (const { name } of expired) {
        if (inUse.has(name)) continue
        await files.remove(vendorId, name)
        log.info({ vendorId, file: name }, 'expired file deleted')
      }
    } catch (error) {
      log.warn({ err: error, vendorId }, 'files could not be swept; next try in an hour')
    }
  }
}

/** By documents and by lane: an accepted job may have no document yet. */
async function filesInUse ({ importJobs, lanes }: RetentionOptions['repositories'], vendorId: string): Promise<Set<string>> {
  const { queue, running } = await lanes.find(vendorId)
  const files = await importJobs.filesInUse(vendorId)
  for (const { request } of running === null ? queue : [...queue, running.job]) for (const name of request.files) files.add(name)
  return files
}

export function startRetention (options: RetentionOptions, everyMs = intervalMs): Rounds {
  const sweep = async (): Promise<void> => {
    try {
      await sweepFiles(options)
    } catch (error) {
      options.log.warn({ err: error }, 'vendors could not be listed; next try in an hour')
    }
  }
  return startRounds(sweep, everyMs)
}
