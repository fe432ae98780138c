/**
 * bench/hostile's attacks, not measured but held to what may never happen: that the process ends, that another vendor's import or
 * read does not come back, that a cancel is not heard. `HOSTILE_SECONDS` says for how long each is sent (3), `HOSTILE_SHAPES`
 * which (a regular expression of their names): a few of different kinds, or with `.` all.
 */
import t from 'tap'
import { startBenchService } from '../../bench/bench-service.js'
import { runHostile } from '../../bench/hostile.js'
import { shapes } from '../../bench/hostile-shapes.js'

const seconds = Number(process.env['HOSTILE_SECONDS'] ?? 3)
const wanted = new RegExp(process.env['HOSTILE_SHAPES'] ?? '^(?:an array of 157,000,000 \\[|the same variant 500,000 times|surrogate halves)$')
const chosen = shapes.filter(({ name }) => wanted.test(name))
/** To start a service, to load what the shape needs, and to wait for those who do not come back. */
const besidesMs = 400_000

t.setTimeout(chosen.length * (besidesMs + seconds * 1_000))

t.test('there are shapes to send', async (t) => {
  t.ok(chosen.length > 0, String(wanted))
})

for (const shape of chosen) {
  t.test(shape.name, { timeout: besidesMs + seconds * 1_000 }, async (t) => {
    const bench = await startBenchService('api,worker,sftp')
    t.teardown(bench.close)
    const { deltas, reads, attacks } = await runHostile(bench, { shape, seconds, idleSeconds: 1, niceness: 0 })
    for (const [what, { tookMs, refused }] of Object.entries({ deltas, reads })) {
      t.ok(tookMs.length > 0 && tookMs.every(Number.isFinite), `the other vendor's ${what} come back`)
      t.strictSame(refused, {}, 'and are not refused')
    }
    t.ok(attacks.length > 0 && attacks.every(({ tookMs, cancelMs }) => tookMs.length > 0 || cancelMs !== null), 'each attack was sent')
    for (const { cancelMs } of attacks) t.not(cancelMs, Infinity, 'a cancel ends the import')
    t.equal((await fetch(`${bench.url}/readyz`)).status, 200, 'the service is ready afterwards')
  })
}
