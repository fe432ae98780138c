/** Lanes in the database: the rules of domain/lane, also when many change one lane at once. */
import t from 'tap'
import type { QueuedJob, RunningJob } from '../../../../src/domain/lane.js'
import { createLanes, type ClaimedJob } from '../../../../src/store/jobs/lanes.js'
import { testDatabase } from '../../../support/database.js'
import { withMethod } from '../../../support/with-method.js'

const { repositories: { lanes }, database: { collections } } = await testDatabase(t)

let vendors = 0
const newVendor = (): string => `lane-${++vendors}`
const job = (jobId: string): QueuedJob => ({ jobId, request: { files: ['a.jsonl'], mode: 'UPDATE', dryRun: false, maxArchivePercent: null }, createdAt: new Date(0) })

const names = (jobIds: string[]): string => jobIds.join(', ') || 'nothing'

async function accept (vendorId: string, ...jobIds: string[]): Promise<void> {
  for (const jobId of jobIds) await lanes.enqueue(vendorId, job(jobId))
}

async function seen (vendorId: string): Promise<RunningJob> {
  const { running } = await lanes.find(vendorId)
  if (running === null) throw new Error('nothing runs')
  return running
}

/** A lane whose first job of two one worker has, and then another, which took the first for dead. */
async function takenOver (): Promise<{ vendorId: string, mine: ClaimedJob, its: ClaimedJob }> {
  const vendorId = newVendor()
  await accept(vendorId, '1', '2')
  const mine = await lanes.claim(vendorId, 'slow')
  const its = await lanes.takeOver(vendorId, 'other', await seen(vendorId))
  if (mine === null || its === null) throw new Error('nothing taken')
  return { vendorId, mine, its }
}

t.test('of 60 jobs at once exactly 20 are accepted', async (t) => {
  const vendorId = newVendor()
  const answers = await Promise.all(Array.from({ length: 60 }, async (_, index) => await lanes.enqueue(vendorId, job(String(index)))))
  t.equal(answers.filter((answer) => answer === 'accepted').length, 20)
  t.equal(answers.filter((answer) => answer === 'full').length, 40)
  t.equal((await lanes.find(vendorId)).queue.length, 20)
})

t.test('the same job accepted ten times at once is there once', async (t) => {
  const vendorId = newVendor()
  const answers = await Promise.all(Array.from({ length: 10 }, async () => await lanes.enqueue(vendorId, job('1'))))
  t.strictSame(answers.sort(), ['accepted', ...new Array<string>(9).fill('known')])
})

t.test('of many workers at once one gets the job', async (t) => {
  const vendorId = newVendor()
  await accept(vendorId, '1', '2')
  const taken = await Promise.all(Array.from({ length: 10 }, async (_, index) => await lanes.claim(vendorId, `worker-${index}`)))
  t.equal(taken.filter((one) => one !== null).length, 1)
  t.equal(taken.find((one) => one !== null)?.job.jobId, '1')
})

t.test('of many that would take over one does', async (t) => {
  const vendorId = newVendor()
  await accept(vendorId, '1')
  await lanes.claim(vendorId, 'lost')
  const lost = await seen(vendorId)
  const taken = await Promise.all(Array.from({ length: 10 }, async (_, index) => await lanes.takeOver(vendorId, `worker-${index}`, lost)))
  t.strictSame(taken.filter((one) => one !== null).map((one) => one?.claim.attempt), [2])
})

t.test('a worker that was given up for dead can do nothing more', async (t) => {
  const { vendorId, mine, its } = await takenOver()
  t.strictSame([await lanes.beat(vendorId, mine.claim), await lanes.handBack(vendorId, mine.claim), await lanes.release(vendorId, mine.claim)], [false, false, false])
  t.strictSame([await lanes.beat(vendorId, its.claim), await lanes.release(vendorId, its.claim)], [true, true])
  t.equal((await lanes.claim(vendorId, 'third'))?.job.jobId, '2')
})

t.test('who lets go of a job has the next one with the same write, and of the last one hears that the lane is empty', async (t) => {
  const vendorId = newVendor()
  await accept(vendorId, '1', '2')
  const first = await lanes.claim(vendorId, 'w')
  if (first === null) throw new Error('nothing taken')
  t.match(first.behind, [{ jobId: '2' }])
  const { rev } = await lanes.find(vendorId)
  const second = await lanes.releaseForNext(vendorId, first.claim, first.behind)
  t.match(second, { job: { jobId: '2' }, claim: { jobId: '2', attempt: 1, owner: 'w' }, behind: [] })
  t.match(await lanes.find(vendorId), { rev: rev + 1, active: true, queue: [], running: { job: { jobId: '2' }, owner: 'w' } })
  if (second === null || second === 'empty') throw new Error('nothing taken')
  t.equal(await lanes.releaseForNext(vendorId, second.claim, second.behind), 'empty')
  t.match(await lanes.find(vendorId), { active: false, queue: [], running: null })
  t.equal(await lanes.releaseForNext(vendorId, second.claim, second.behind), null, 'what is no longer held is not let go')
})

for (const { known, waiting, gets } of [
  { known: ['2'], waiting: [], gets: 'empty' },
  { known: [], waiting: ['2'], gets: '2 before nothing' },
  { known: ['2', '3'], waiting: ['3', '4'], gets: '3 before 4' },
  { known: ['3'], waiting: ['2', '3'], gets: '2 before 3' }
]) {
  t.test(`who thinks of a lane that ${names(known)} waits in it, where ${names(waiting)} does, gets ${gets}`, async (t) => {
    const vendorId = newVendor()
    await accept(vendorId, '1', ...waiting)
    const mine = await lanes.claim(vendorId, 'w')
    if (mine === null) throw new Error('nothing taken')
    const next = await lanes.releaseForNext(vendorId, mine.claim, known.map(job))
    t.equal(next === null || next === 'empty' ? next : `${next.job.jobId} before ${names(next.behind.map(({ jobId }) => jobId))}`, gets)
    const { queue, running } = await lanes.find(vendorId)
    t.strictSame([...running === null ? [] : [running.job.jobId], ...queue.map(({ jobId }) => jobId)], waiting)
  })
}

t.test('jobs that have come since a job was taken stay in the lane, behind the one that it was known to go before', async (t) => {
  const vendorId = newVendor()
  await accept(vendorId, '1', '2', '3')
  const mine = await lanes.claim(vendorId, 'w')
  await accept(vendorId, '4')
  if (mine === null) throw new Error('nothing taken')
  const { rev } = await lanes.find(vendorId)
  t.match(await lanes.releaseForNext(vendorId, mine.claim, mine.behind), { job: job('2'), claim: { jobId: '2', attempt: 1, owner: 'w' }, behind: [job('3')] })
  t.match(await lanes.find(vendorId), { rev: rev + 1, active: true, queue: [job('3'), job('4')], running: { job: job('2'), attempt: 1, owner: 'w', beat: 0 } })
})

t.test('who was given up for dead has no next job, and takes none from who has it', async (t) => {
  const { vendorId, mine } = await takenOver()
  for (const behind of [[], [job('2')]]) t.equal(await lanes.releaseForNext(vendorId, mine.claim, behind), null)
  t.match(await lanes.find(vendorId), { running: { job: { jobId: '1' }, owner: 'other', attempt: 2 } })
})

t.test('a job comes out as it went in', async (t) => {
  const vendorId = newVendor()
  const whole: QueuedJob = { jobId: '1', request: { files: ['a.jsonl', 'b.json.gz'], mode: 'REPLACE', dryRun: true, maxArchivePercent: 12.5 }, createdAt: new Date('2024-05-01T10:00:00.123Z') }
  await lanes.enqueue(vendorId, whole)
  t.strictSame((await lanes.claim(vendorId, 'w'))?.job, whole)
})

t.test('withdrawing and claiming at once: the job goes to one of them', async (t) => {
  for (let round = 0; round < 10; round++) {
    const vendorId = newVendor()
    await accept(vendorId, '1')
    const [taken, withdrawn] = await Promise.all([lanes.claim(vendorId, 'w'), lanes.withdraw(vendorId, '1')])
    t.equal(taken === null, withdrawn)
  }
})

t.test('a lane that nobody has used is empty', async (t) => {
  t.match(await lanes.find(newVendor()), { queue: [], running: null })
  t.equal(await lanes.claim(newVendor(), 'w'), null)
  t.equal(await lanes.withdraw(newVendor(), '1'), false)
})

t.test('vendors with something to do are found, by the job that runs or is next', async (t) => {
  const [idle, waiting, running] = [newVendor(), newVendor(), newVendor()]
  await accept(idle, 'x')
  const taken = await lanes.claim(idle, 'w')
  if (taken !== null) await lanes.release(idle, taken.claim)
  await accept(waiting, 'first', 'second')
  await accept(running, 'runs', 'waits')
  await lanes.claim(running, 'w')
  const active = new Map<string, string>()
  for await (const { vendorId, jobId } of lanes.activeVendors()) active.set(vendorId, jobId)
  t.strictSame([active.get(idle), active.get(waiting), active.get(running)], [undefined, 'first', 'runs'])
})

t.test('a beat writes the beat alone, however much waits in the lane, and others see it', async (t) => {
  const vendorId = newVendor()
  await accept(vendorId, '1', '2')
  const mine = await lanes.claim(vendorId, 'mine')
  if (mine === null) throw new Error('nothing taken')
  const { beat } = await seen(vendorId)
  const refused = (): never => { throw new Error('the lane is not to be read or written as a whole') }
  const importLanes = withMethod(withMethod(collections.importLanes, 'replaceOne', refused), 'findOne', refused)
  t.equal(await createLanes({ ...collections, importLanes }).beat(vendorId, mine.claim), true)
  t.equal((await seen(vendorId)).beat, beat + 1)
  t.equal(await lanes.takeOver(vendorId, 'other', { ...await seen(vendorId), beat }), null, 'who saw the beat before takes nothing over')
  t.equal((await lanes.find(vendorId)).queue.length, 1)
})
