/**
 * `node scripts/simulate-capacity.js [vendors] [products]`: a day of imports of that many vendors and products, for several numbers
 * of workers; and how its writes and all data lie on several numbers of shards, by the keys that `catalog shard-commands` prints (of what was built last). Prints tables, and draws docs/scale.svg. The figures that it starts from are measured (docs/performance.md) or stated
 * (docs/scale.md); it says what follows from them, not what a cluster does.
 *
 * The model: a vendor's jobs go to the worker that has its partition and run one after the other, vendors of a worker side by side,
 * sharing its threads evenly, no job on more than one at a time. A step is ten seconds.
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { keysIn, spreadOver } from './shard-spread.js'

const vendorCount = Number(process.argv[2] ?? 10_000)
const productCount = Number(process.argv[3] ?? 1_000_000_000)
/** Lines per second of one import thread, by what the line comes to. */
const unchangedRate = 13_500
const changedRate = 1_400
const threadsPerWorker = 2
const deltasPerDay = 48
const changedShareOfDelta = 1
const changedShareOfReplace = 0.02
const linesShareOfDelta = 0.01
const stepSeconds = 10
const daySeconds = 24 * 60 * 60

/** mulberry32: the same picture every time. */
let state = 7
const random = () => {
  state = (state + 0x6D2B79F5) >>> 0
  let mixed = Math.imul(state ^ (state >>> 15), state | 1)
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
}

/** Sizes fall off as 1 / rank^0.8: the largest of 10,000 vendors holds some 3 % of a billion products. */
const weights = Array.from({ length: vendorCount }, (_, rank) => (rank + 1) ** -0.8)
const weightSum = weights.reduce((sum, weight) => sum + weight, 0)
const products = weights.map((weight) => Math.max(1, Math.round(productCount * weight / weightSum)))

/** In seconds of one thread. */
const workOf = (lines, changedShare) => lines * ((1 - changedShare) / unchangedRate + changedShare / changedRate)

/** One REPLACE a day, at any time, and inventory deltas evenly over the day; by step. */
const arrivals = Array.from({ length: daySeconds / stepSeconds }, () => [])
for (const [vendor, size] of products.entries()) {
  const at = (seconds) => arrivals[Math.floor(seconds / stepSeconds) % arrivals.length]
  at(random() * daySeconds).push({ vendor, kind: 'replace', work: workOf(size, changedShareOfReplace) })
  const first = random() * daySeconds / deltasPerDay
  for (let delta = 0; delta < deltasPerDay; delta++) {
    at(first + delta * daySeconds / deltasPerDay).push({ vendor, kind: 'delta', work: workOf(Math.ceil(size * linesShareOfDelta), changedShareOfDelta) })
  }
}

const percentile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

function simulate (workerCount) {
  const lanes = Array.from({ length: vendorCount }, () => [])
  /** Vendors with something to do, by worker. */
  const active = Array.from({ length: workerCount }, () => new Set())
  const waits = { replace: [], delta: [] }
  let busySeconds = 0
  for (let step = 0; step < arrivals.length; step++) {
    for (const { vendor, kind, work } of arrivals[step]) {
      lanes[vendor].push({ kind, left: work, alone: work, step })
      active[vendor % workerCount].add(vendor)
    }
    for (const vendors of active) {
      // Evenly, and what the short jobs leave over goes to the others.
      let capacity = threadsPerWorker * stepSeconds
      const running = [...vendors].sort((a, b) => lanes[a][0].left - lanes[b][0].left)
      for (const [index, vendor] of running.entries()) {
        let share = Math.min(stepSeconds, capacity / (running.length - index))
        capacity -= share
        for (let job = lanes[vendor][0]; job !== undefined && share > 0; job = lanes[vendor][0]) {
          const done = Math.min(share, job.left)
          job.left -= done
          share -= done
          busySeconds += done
          if (job.left > 1e-9) break
          waits[job.kind].push(Math.max(0, (step + 1 - job.step) * stepSeconds - job.alone))
          lanes[vendor].shift()
        }
        capacity += share
        if (lanes[vendor].length === 0) vendors.delete(vendor)
      }
    }
  }
  for (const kind of ['replace', 'delta']) waits[kind].sort((a, b) => a - b)
  return {
    workers: workerCount,
    busy: busySeconds / (workerCount * threadsPerWorker * daySeconds),
    unfinished: lanes.reduce((sum, lane) => sum + lane.length, 0),
    deltaP50: percentile(waits.delta, 0.5),
    deltaP95: percentile(waits.delta, 0.95),
    deltaP99: percentile(waits.delta, 0.99),
    replaceP95: percentile(waits.replace, 0.95)
  }
}

const total = arrivals.flat().reduce((sum, { work }) => sum + work, 0)
const least = Math.max(1, Math.ceil(total / daySeconds / threadsPerWorker))
const counts = [...new Set([1, 1.25, 1.5, 2, 3, 4].map((factor) => Math.ceil(least * factor)))]
const results = counts.map(simulate)

const seconds = (value) => value < 120 ? `${Math.round(value)} s` : value < 7_200 ? `${Math.round(value / 60)} min` : `${(value / 3_600).toFixed(1)} h`
process.stdout.write(`${vendorCount} vendors, ${productCount} products, ${Math.round(total / 3_600)} thread hours of work a day\n\n`)
process.stdout.write('| workers | busy | delta waits, median | 95 % | 99 % | REPLACE waits, 95 % | unfinished at midnight |\n| --- | --- | --- | --- | --- | --- | --- |\n')
for (const { workers, busy, deltaP50, deltaP95, deltaP99, replaceP95, unfinished } of results) {
  process.stdout.write(`| ${workers} | ${Math.round(busy * 100)} % | ${seconds(deltaP50)} | ${seconds(deltaP95)} | ${seconds(deltaP99)} | ${seconds(replaceP95)} | ${unfinished} |\n`)
}

/** Of all shards together, on average; a peak hour has three times as many. */
const replacements = products.reduce((sum, size) => sum + size * (deltasPerDay * linesShareOfDelta * changedShareOfDelta + changedShareOfReplace), 0) / daySeconds
const peak = 3
const program = fileURLToPath(new URL('../dist/src/bin/catalog.js', import.meta.url))
const keys = keysIn(execFileSync(process.execPath, [program, 'shard-commands'], { encoding: 'utf8' }).split('\n'))
/** The sizes in shard-spread are those of a billion products. */
const scale = productCount / 1_000_000_000
const percent = (share) => `${(share * 100).toFixed(1)} %`
process.stdout.write('\n| shards | data of one, GB: least, most | replacements/s of one in the peak hour: least, most | largest vendor\'s delta: least, most | asked by a batch of it | have the issues of a job of it |\n| --- | --- | --- | --- | --- | --- |\n')
for (const shards of [2, 4, 8, 27]) {
  const { gigabytes, inserted, largestDelta, batchAsks, jobsIssuesOn } = spreadOver(keys, shards, products, random)
  const range = (values, word) => `${word(Math.min(...values))}, ${word(Math.max(...values))}`
  const rate = (share) => Math.round(share * replacements * peak).toLocaleString('en')
  process.stdout.write(`| ${shards} | ${range(gigabytes, (value) => Math.round(value * scale).toLocaleString('en'))} | ${range(inserted.products, rate)} | ${range(largestDelta, percent)} | ${batchAsks} | ${jobsIssuesOn} |\n`)
}

/** Waits by workers, on a logarithmic scale from ten seconds to a day. */
function draw () {
  const [width, height, left, bottom, top, right] = [760, 360, 70, 50, 30, 150]
  const x = (index) => left + index / (results.length - 1) * (width - left - right)
  const y = (value) => height - bottom - Math.log10(Math.min(daySeconds, Math.max(10, value)) / 10) / Math.log10(daySeconds / 10) * (height - bottom - top)
  const line = (key, color, label) => {
    const points = results.map((result, index) => `${x(index)},${y(result[key]).toFixed(1)}`).join(' ')
    const last = results.at(-1)
    return `<polyline points="${points}" fill="none" stroke="${color}" stroke-width="2"/>` +
      `<text x="${width - right + 8}" y="${(y(last[key]) + 4).toFixed(1)}" fill="${color}">${label}</text>`
  }
  const grid = [10, 60, 600, 3_600, 21_600, 86_400].map((value) =>
    `<line x1="${left}" x2="${width - right}" y1="${y(value).toFixed(1)}" y2="${y(value).toFixed(1)}" stroke="#ddd"/><text x="${left - 8}" y="${(y(value) + 4).toFixed(1)}" text-anchor="end">${seconds(value)}</text>`)
  const ticks = results.map(({ workers, busy }, index) =>
    `<text x="${x(index)}" y="${height - bottom + 18}" text-anchor="middle">${workers}</text><text x="${x(index)}" y="${height - bottom + 34}" text-anchor="middle" fill="#888">${Math.round(busy * 100)} %</text>`)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">
<rect width="100%" height="100%" fill="#fff"/>
<text x="${left}" y="18">Waiting beyond the job's own time, by workers (below: how busy they are)</text>
${[...grid, ...ticks].join('\n')}
${line('deltaP99', '#c0392b', 'delta, 99 %')}
${line('deltaP95', '#2471a3', 'delta, 95 %')}
${line('replaceP95', '#1e8449', 'REPLACE, 95 %')}
</svg>
`
}
writeFileSync(new URL('../docs/scale.svg', import.meta.url), draw())
