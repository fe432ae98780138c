/**
 * A lock between processes of one machine that outlives no holder: when the holder dies, however it dies, the next one
 * takes over, and of several that try at once exactly one does.
 *
 * Node has no flock(2), and "delete the stale lock, create a new one" is a race: a slow process deletes the lock that a
 * faster one has just made. So nothing is deleted. Locks are numbered, `<name>.1`, `<name>.2`, …, and the highest number counts:
 *
 *   held (its process runs) ──release()──▶ released ─┐
 *     └──────────the process dies──────────▶ stale ──┴─▶ whoever creates the next number holds the lock
 *
 * Invariants:
 *  - A number is created with its content in one step, by one process (createJson).
 *  - The highest number is never deleted, only marked released; lower ones are cleaned up by the holder of a higher one.
 *  - Who has created a number looks once more: if there is a higher one, what it acted on was an old view and it has lost.
 */
import { randomUUID } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createJson, readJson, writeJson } from './json-file.js'
import { isRunning, ownIdentity, type ProcessIdentity } from './process-identity.js'

export interface LockHolder extends ProcessIdentity {
  /** Differs for each time the lock is taken, also by one process. */
  bootToken: string
}

export interface ExclusiveLock {
  held: true
  self: LockHolder
  release (): Promise<void>
}

export const newHolder = (): LockHolder => ({ ...ownIdentity(), bootToken: randomUUID() })

/** Takes the lock, or tells who holds it. Never waits. The folder must exist. */
export async function tryLock (folder: string, name: string): Promise<ExclusiveLock | { held: false, holder: LockHolder }> {
  const path = (number: number): string => join(folder, `${name}.${number}`)
  const self = newHolder()
  for (;;) {
    const last = Math.max(0, ...await lockNumbers(folder, name))
    const holder = last === 0 ? undefined : await readJson<LockHolder>(path(last))
    if (isHolder(holder) && isRunning(holder)) return { held: false, holder }

    const next = last + 1
    if (!await createJson(path(next), self)) continue
    const numbers = await lockNumbers(folder, name)
    if (Math.max(...numbers) > next) {
      await rm(path(next), { force: true })
      continue
    }
    await Promise.all(numbers.filter((number) => number < next).map(async (number) => { await rm(path(number), { force: true }) }))
    return { held: true, self, release: async () => { await writeJson(path(next), { released: true }) } }
  }
}

const isHolder = (content: Partial<LockHolder> | undefined): content is LockHolder =>
  typeof content?.pid === 'number' && typeof content.startToken === 'string' && typeof content.bootToken === 'string'

async function lockNumbers (folder: string, name: string): Promise<number[]> {
  const numbers = (await readdir(folder)).filter((file) => file.startsWith(`${name}.`)).map((file) => file.slice(name.length + 1))
  return numbers.filter((number) => /^[1-9]\d*$/.test(number)).map(Number)
}
