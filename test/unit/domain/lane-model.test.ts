/** Random steps of many workers, some of them dead or mistaken, against what must hold of a vendor's queue. */
import t from 'tap'
import {
  beat, claim, emptyLane, enqueue, handBack, maxQueuedJobs, release, takeOver, withdraw, type Claim, type Lane, type RunningJob
} from '../../../src/domain/lane.js'
import { seededRandom } from './seeded-random.js'

const owners = ['a', 'b', 'c'] as const
const steps = 5_000

for (const seed of [1, 2, 3, 4, 5]) {
  t.test(`seed ${seed}: one job runs, order is kept, at most 20 wait, and only the holder of the claim acts`, async (t) => {
    const random = seededRandom(seed)
    let lane: Lane = emptyLane()
    /** Of the model: ids in order of acceptance, the claim that is good, every claim ever given, and what others saw. */
    let waiting: string[] = []
    let current = null as { jobId: string, attempt: number, owner: string | null } | null
    const claims: Claim[] = []
    const sightings: RunningJob[] = []
    const started: string[] = []
    const accepted: string[] = []
    let count = 0
    const failures: string[] = []
    const expect = (what: string, holds: boolean): void => { if (!holds) failures.push(what) }
    const took = (given: Claim): void => {
      current = { ...given }
      claims.push(given)
    }

    const act = {
      enqueue () {
        const known = accepted.length > 0 && random.chance(0.1)
        const jobId: string = known ? random.pick(accepted) : `job-${count++}`
        const present = waiting.includes(jobId) || current?.jobId === jobId
        if (known && !present) return
        const next = enqueue(lane, { jobId, request: { files: [], mode: 'UPDATE', dryRun: false, maxArchivePercent: null }, createdAt: new Date(0) })
        if (present) return expect('what is there is known', next === 'known')
        if (waiting.length === maxQueuedJobs) return expect('the 21st is refused', next === 'full')
        expect('there is room', typeof next !== 'string')
        if (typeof next === 'string') return
        lane = next
        waiting.push(jobId)
        accepted.push(jobId)
      },
      claim () {
        const taken = claim(lane, random.pick(owners))
        if (current !== null && current.owner !== null) return expect('one job runs', taken === null)
        if (current === null && waiting.length === 0) return expect('nothing to claim', taken === null)
        if (taken === null) return expect('there was something to claim', false)
        if (current !== null) expect('a job handed back goes on as the same attempt', taken.claim.jobId === current.jobId && taken.claim.attempt === current.attempt)
        else {
          expect('the first in line', taken.claim.jobId === waiting[0] && taken.claim.attempt === 1)
          waiting = waiting.slice(1)
          started.push(taken.claim.jobId)
        }
        lane = taken.lane
        took(taken.claim)
      },
      look () { if (lane.running !== null) sightings.push(lane.running) },
      takeOver () {
        if (sightings.length === 0) return
        const seen = random.pick(sightings)
        const now = lane.running
        const unchanged = now !== null && now.job.jobId === seen.job.jobId && now.attempt === seen.attempt && now.owner === seen.owner && now.beat === seen.beat
        const taken = takeOver(lane, random.pick(owners), seen)
        expect('taken over exactly when nothing has changed', (taken !== null) === unchanged)
        if (taken === null) return
        expect('the attempt grows', taken.claim.attempt === seen.attempt + 1)
        lane = taken.lane
        took(taken.claim)
      },
      useClaim () {
        if (claims.length === 0) return
        const held = random.chance(0.5) ? claims.at(-1) as Claim : random.pick(claims)
        const good = current !== null && current.jobId === held.jobId && current.attempt === held.attempt && current.owner === held.owner
        const [what, step] = random.pick([['beat', beat], ['beat', beat], ['release', release], ['handBack', handBack]] as const)
        const next = step(lane, held)
        expect(`${what} works for the holder alone`, (next !== null) === good)
        if (next === null) return
        lane = next
        if (what === 'release') current = null
        else if (what === 'handBack' && current !== null) current = { ...current, owner: null }
      },
      withdraw () {
        if (accepted.length === 0) return
        const jobId = random.chance(0.5) ? waiting[random.below(waiting.length)] ?? 'nobody' : random.pick(accepted)
        const next = withdraw(lane, jobId)
        expect('what waits can be withdrawn, nothing else', (next !== null) === waiting.includes(jobId))
        if (next === null) return
        lane = next
        waiting = waiting.filter((id) => id !== jobId)
        accepted.splice(accepted.indexOf(jobId), 1)
      }
    }

    for (let step = 0; step < steps && failures.length === 0; step++) {
      act[random.pick(['enqueue', 'enqueue', 'enqueue', 'claim', 'look', 'takeOver', 'useClaim', 'useClaim', 'withdraw'] as const)]()
      expect('the queue is the model\'s', lane.queue.map(({ jobId }) => jobId).join() === waiting.join())
      expect('at most 20 wait', lane.queue.length <= maxQueuedJobs)
      expect('the running job is the model\'s', (lane.running?.job.jobId ?? null) === (current?.jobId ?? null) && (lane.running?.owner ?? null) === (current?.owner ?? null))
    }
    t.strictSame(failures, [])
    t.strictSame(started, accepted.slice(0, started.length), 'jobs started in the order of acceptance')
    t.ok(started.length > 50, 'the walk got somewhere')
  })
}
