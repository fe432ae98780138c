import t from 'tap'
import {
  beat, claim, emptyLane, enqueue, handBack, maxQueuedJobs, release, takeOver, withdraw, type Lane, type QueuedJob, type RunningJob
} from '../../../src/domain/lane.js'

const job = (jobId: string): QueuedJob => ({ jobId, request: { files: ['a.jsonl'], mode: 'UPDATE', dryRun: false, maxArchivePercent: null }, createdAt: new Date(0) })

const laneOf = (...jobIds: string[]): Lane => jobIds.reduce((lane, jobId) => enqueue(lane, job(jobId)) as Lane, emptyLane())

/** The lane in which `owner` runs the first job. */
function running (owner: string, ...jobIds: string[]): { lane: Lane, held: { jobId: string, attempt: number, owner: string }, seen: RunningJob } {
  const taken = claim(laneOf(...jobIds), owner)
  if (taken?.lane.running == null) throw new Error('nothing to claim')
  return { lane: taken.lane, held: taken.claim, seen: taken.lane.running }
}

t.test('jobs are claimed in the order in which they were accepted', async (t) => {
  let lane = laneOf('1', '2', '3')
  for (const expected of ['1', '2', '3']) {
    const taken = claim(lane, 'w')
    t.match(taken, { job: { jobId: expected }, claim: { jobId: expected, attempt: 1, owner: 'w' } })
    lane = release(taken?.lane as Lane, taken?.claim as never) as Lane
  }
  t.equal(claim(lane, 'w'), null)
})

t.test('at most 20 jobs are queued; the one that runs does not count', async (t) => {
  const ids = Array.from({ length: maxQueuedJobs }, (_, index) => String(index))
  t.equal(maxQueuedJobs, 20)
  const full = laneOf(...ids)
  t.equal(enqueue(full, job('one too many')), 'full')
  const { lane } = running('w', ...ids)
  const again = enqueue(lane, job('20th')) as Lane
  t.equal(again.queue.length, 20)
  t.equal(enqueue(again, job('one too many')), 'full')
})

t.test('a job that is queued or runs already is known, also when the queue is full', async (t) => {
  t.equal(enqueue(laneOf('1'), job('1')), 'known')
  t.equal(enqueue(running('w', '1').lane, job('1')), 'known')
  t.equal(enqueue(laneOf(...Array.from({ length: 20 }, (_, index) => String(index))), job('7')), 'known')
})

t.test('nothing is claimed while another worker runs a job', async (t) => {
  t.equal(claim(running('a', '1', '2').lane, 'b'), null)
  t.equal(claim(running('a', '1', '2').lane, 'a'), null)
})

t.test('a job that was handed back is claimed as the same attempt, before those behind it', async (t) => {
  const { lane, held } = running('a', '1', '2')
  const back = handBack(lane, held) as Lane
  t.match(claim(back, 'b'), { job: { jobId: '1' }, claim: { jobId: '1', attempt: 1, owner: 'b' } })
})

t.test('the job of a lost worker is taken over as the next attempt', async (t) => {
  const { lane, seen } = running('a', '1')
  t.match(takeOver(lane, 'b', seen), { claim: { jobId: '1', attempt: 2, owner: 'b' } })
})

t.test('whoever has beaten since is not lost', async (t) => {
  const { lane, held, seen } = running('a', '1')
  t.equal(takeOver(beat(lane, held) as Lane, 'b', seen), null)
})

t.test('a job that was handed back and claimed since is not taken over', async (t) => {
  const { lane, held, seen } = running('a', '1')
  const again = claim(handBack(lane, held) as Lane, 'a')
  t.equal(takeOver(again?.lane as Lane, 'b', seen), null)
})

t.test('a lost worker is taken over from once', async (t) => {
  const { lane, seen } = running('a', '1')
  const first = takeOver(lane, 'b', seen)
  t.equal(takeOver(first?.lane as Lane, 'c', seen), null)
})

t.test('a job that has ended is not taken over', async (t) => {
  const { lane, held, seen } = running('a', '1', '2')
  const over = release(lane, held) as Lane
  t.equal(takeOver(over, 'b', seen), null)
  t.equal(takeOver(claim(over, 'c')?.lane as Lane, 'b', seen), null)
})

for (const [what, act] of Object.entries({ beat, release, handBack })) {
  t.test(`${what} needs the claim: job, attempt and owner`, async (t) => {
    const { lane, held } = running('a', '1')
    t.not(act(lane, held), null)
    t.equal(act(lane, { ...held, jobId: '2' }), null)
    t.equal(act(lane, { ...held, attempt: 2 }), null)
    t.equal(act(lane, { ...held, owner: 'b' }), null)
    t.equal(act(release(lane, held) as Lane, held), null)
  })

  t.test(`${what} of a worker that was given up for dead does nothing`, async (t) => {
    const { lane, held, seen } = running('a', '1')
    t.equal(act(takeOver(lane, 'b', seen)?.lane as Lane, held), null)
    t.equal(act(takeOver(lane, 'a', seen)?.lane as Lane, held), null, 'not even under the same name')
  })
}

t.test('a queued job can be withdrawn, a running or unknown one cannot', async (t) => {
  const { lane } = running('w', '1', '2', '3')
  t.strictSame((withdraw(lane, '2') as Lane).queue.map(({ jobId }) => jobId), ['3'])
  t.equal(withdraw(lane, '1'), null)
  t.equal(withdraw(lane, 'x'), null)
})

t.test('a step leaves the lane of before untouched', async (t) => {
  const { lane, held, seen } = running('w', '1', '2')
  const before = structuredClone(lane)
  enqueue(lane, job('3'))
  beat(lane, held)
  takeOver(lane, 'x', seen)
  handBack(lane, held)
  withdraw(lane, '2')
  release(lane, held)
  t.strictSame(lane, before)
})
