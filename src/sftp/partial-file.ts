/**
 * A file that the service itself is writing for a vendor who uploads over HTTP (domain/partial-upload). It grows in its place, where nobody
 * takes it for whole: what has come stays there, whatever becomes of the connection, for the upload to go on behind it. The service gives it
 * its own name when it is whole.
 */
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { createGrowingFile } from './growing-file.js'
import type { Jail } from './jail.js'
import type { Quotas } from './quotas.js'
import type { Upload, UploadOptions } from './upload.js'
import type { FilePlace } from './virtual-path.js'

export async function openPartialFile (jail: Jail, quotas: Quotas, place: FilePlace, { create, maxFileBytes }: UploadOptions): Promise<Upload> {
  const { vendorId } = place
  // Its vendor may never have logged in.
  await jail.prepare(vendorId)
  const path = join(await jail.incoming(vendorId), place.name)
  await quotas.measured(vendorId)
  const flags = constants.O_RDWR | constants.O_NOFOLLOW
  const file = await open(path, flags).catch(async (error: unknown) => {
    if (!create || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    await quotas.takeFile(vendorId)
    return await open(path, flags | constants.O_CREAT, 0o600)
  })
  try {
    const startSize = (await file.stat()).size
    const growing = createGrowingFile({ file, startSize, vendorId, quotas, append: false, maxFileBytes })
    return {
      place,
      ...growing,
      async publish () {
        try {
          await growing.sync()
        } finally {
          await file.close()
        }
      },
      discard: async () => { await file.close() }
    }
  } catch (error) {
    await file.close()
    throw error
  }
}
