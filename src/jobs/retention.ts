/**
 * Deletes files 30 days after their upload (interface.md, SFTP), but never while a queued or processing job names them. Where the server
 * does not vouch for the time of upload, it is that of the first round which finds the file.
 */
import { isPartialUploadName } from '../domain/partial-upload.js'
import type { Logger } from 'pino'
import type { ListedFile, SftpFiles } from '../sources/sftp-files.js'
import type { Repositories } from '../store/repositories.js'
import { startRounds, type Rounds } from './rounds.js'

const retentionMs = 30 * 24 * 60 * 60 * 1_000
const intervalMs = 60 * 60 * 1_000

/** An upload over HTTP that nobody has gone on with for so long. */
const unfinishedMs = 24 * 60 * 60 * 1_000

export interface RetentionOptions {
  repositories: Pick<Repositories, 'vendors' | 'importJobs' | 'lanes' | 'fileSightings'>
  files: Pick<SftpFiles, 'list' | 'stat' | 'remove'>
  log: Logger
  now?: () => number
}

/** One round over all vendors. Neither a vendor whose files cannot be listed, nor a file that cannot be removed, stops the others. */
export async function sweepFiles ({ repositories, files, log, now = Date.now }: RetentionOptions): Promise<void> {
  /** What it is to be deleted for may have changed since it was listed, minutes ago where there are many: it is looked at again, last of all. */
  async function removeExpired (vendorId: string, { name, size, modifiedAtMs }: ListedFile): Promise<void> {
    try {
      const isInUse = (await filesInUse(repositories, vendorId)).has(name)
      const found = await files.stat(vendorId, name)
      if (isInUse || found.size !== size || found.modifiedAtMs !== modifiedAtMs) return
      await files.remove(vendorId, name)
      log.info({ vendorId, file: name }, 'expired file deleted')
    } catch (error) {
      log.warn({ err: error, vendorId, file: name }, 'expired file could not be deleted; next try in an hour')
    }
  }

  for await (const vendorId of repositories.vendors.ids()) {
    try {
      const listed = await files.list(vendorId)
      const firstSeenMs = await repositories.fileSightings.update(vendorId, listed.filter(({ uploadedAtMs }) => uploadedAtMs === null), now())
      const expired = listed.filter(({ name, uploadedAtMs }) => {
        const sinceMs = uploadedAtMs ?? firstSeenMs.get(name)
        return sinceMs !== undefined && sinceMs < now() - (isPartialUploadName(name) ? unfinishedMs : retentionMs)
      })
      for (const file of expired) await removeExpired(vendorId, file)
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
