/**
 * Temporary files of uploads that a crash has cut off. Their names tell who wrote them, so that a start removes those of
 * dead processes and leaves alone those of a server that still runs on the same folder.
 */
import { randomUUID } from 'node:crypto'
import { readdir, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { vendorIdPattern } from '../domain/access.js'
import type { Jail } from './jail.js'
import { errnoOf } from './sftp-failure.js'

/** Older than this, it is dead whoever wrote it: idle connections are ended within minutes. */
const deadAfterMs = 24 * 3_600_000
const host = hostname().replaceAll(',', '-')
// Of this very process: names that are already there when it starts with the same id came from an earlier life.
const startedAtMs = Date.now()

export const temporaryName = (): string => [host, process.pid, startedAtMs, randomUUID()].join(',')

/** Removes them in every vendor's folder. What cannot be removed is logged; it must not keep the server from starting. */
export async function removeLeftovers (jail: Jail, log: Logger): Promise<void> {
  for (const entry of await readdir(jail.root, { withFileTypes: true })) {
    if (!entry.isDirectory() || !vendorIdPattern.test(entry.name)) continue
    try {
      await removeLeftoversOf(await jail.uploading(entry.name))
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') log.warn({ err: error, vendorId: entry.name }, 'could not remove unfinished uploads')
    }
  }
}

async function removeLeftoversOf (folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    if (isOfDeadProcess(name) || Date.now() - (await stat(path)).mtimeMs > deadAfterMs) await rm(path, { force: true })
  }
}

function isOfDeadProcess (name: string): boolean {
  const [writtenOn, pid, writtenBySince] = name.split(',')
  if (writtenOn !== host) return false
  if (Number(pid) === process.pid) return Number(writtenBySince) !== startedAtMs
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return errnoOf(error) === 'ESRCH'
  }
}
