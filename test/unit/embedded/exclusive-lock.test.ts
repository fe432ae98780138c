import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { spawnSync } from 'node:child_process'
import t from 'tap'
import { newHolder, tryLock, type LockHolder } from '../../../src/embedded/exclusive-lock.js'
import { testFolder } from '../../support/test-folder.js'

const writeLock = async (folder: string, number: number, holder: Partial<LockHolder>): Promise<void> => {
  await writeFile(join(folder, `lock.${number}`), JSON.stringify(holder))
}

/** A pid that was a process's a moment ago. */
const deadPid = (): number => spawnSync('true').pid

t.test('the second to come is told who holds the lock', async (t) => {
  const folder = testFolder(t, {})
  const first = await tryLock(folder, 'lock')
  const second = await tryLock(folder, 'lock')
  t.equal(second.held, false)
  t.match(second, { holder: { pid: process.pid, bootToken: first.held ? first.self.bootToken : '' } })
})

t.test('a released lock can be taken again, with another boot token', async (t) => {
  const folder = testFolder(t, {})
  const first = await tryLock(folder, 'lock')
  if (!first.held) return t.fail('not held')
  await first.release()
  const second = await tryLock(folder, 'lock')
  t.match(second, { held: true })
  t.not(second.held && second.self.bootToken, first.self.bootToken)
})

t.test("a dead process's lock is taken over", async (t) => {
  const folder = testFolder(t, {})
  await writeLock(folder, 3, { ...newHolder(), pid: deadPid() })
  t.match(await tryLock(folder, 'lock'), { held: true })
  t.strictSame(await readdir(folder), ['lock.4'])
})

t.test('a stranger that has got the pid of a dead holder does not hold the lock', async (t) => {
  const folder = testFolder(t, {})
  await writeLock(folder, 1, { ...newHolder(), startToken: 'of another process' })
  t.match(await tryLock(folder, 'lock'), { held: true })
})

t.test('a lock file that a power cut has emptied is stale', async (t) => {
  const folder = testFolder(t, { 'lock.1': '' })
  t.match(await tryLock(folder, 'lock'), { held: true })
})

t.test('files of similar names are no locks', async (t) => {
  const folder = testFolder(t, { 'lock.1.tmp': 'x', 'lock.old': 'x', 'lock.9x': 'x' })
  t.match(await tryLock(folder, 'lock'), { held: true })
  t.match(await readdir(folder), ['lock.1', 'lock.1.tmp', 'lock.9x', 'lock.old'])
})

t.test('of many that find a stale lock at once, exactly one takes it, and all others are told the same holder', async (t) => {
  for (let round = 0; round < 20; round++) {
    const folder = testFolder(t, {})
    await writeLock(folder, 1, { ...newHolder(), pid: deadPid() })
    const attempts = await Promise.all(Array.from({ length: 12 }, async () => await tryLock(folder, 'lock')))
    const winners = attempts.flatMap((attempt) => attempt.held ? [attempt.self.bootToken] : [])
    const named = new Set(attempts.flatMap((attempt) => attempt.held ? [] : [attempt.holder.bootToken]))
    if (winners.length !== 1 || named.size !== 1 || !named.has(winners[0] ?? '')) return t.fail('not exactly one', { round, winners, named })
  }
})

t.test('many that take and release in turn never hold the lock at the same time', async (t) => {
  const folder = testFolder(t, {})
  let holders = 0
  let most = 0
  let turns = 0
  await Promise.all(Array.from({ length: 8 }, async () => {
    for (let taken = 0; taken < 5;) {
      const lock = await tryLock(folder, 'lock')
      if (!lock.held) continue
      most = Math.max(most, ++holders)
      await new Promise(setImmediate)
      holders--
      await lock.release()
      taken++
      turns++
    }
  }))
  t.equal(most, 1)
  t.equal(turns, 40)
})

t.test('a folder that is not there is an error, not a lock', async (t) => {
  await t.rejects(tryLock(join(testFolder(t, {}), 'missing'), 'lock'), { code: 'ENOENT' })
})
