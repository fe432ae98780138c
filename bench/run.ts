/** `npm run bench [-- NAME…]`: the benchmarks, or those named. */
import { benchAnalytics } from './analytics.js'
import { benchCompiledAnew } from './compiled-anew.js'
import { benchDelta } from './delta.js'
import { benchEndToEnd } from './end-to-end.js'
import { benchFairness } from './fairness.js'
import { benchFitment } from './fitment.js'
import { benchGrowth } from './growth.js'
import { benchHostile } from './hostile.js'
import { benchHoldUps } from './hold-ups.js'
import { benchLargeRequests } from './large-requests.js'
import { benchMemory } from './memory.js'
import { benchPipeline } from './pipeline.js'
import { benchReads } from './reads.js'
import { benchSearch } from './search.js'
import { benchSizeCharts } from './size-charts.js'
import { benchSmallJobs } from './small-jobs.js'
import { benchSftpDistance } from './sftp-distance.js'
import { benchSftpUploads } from './sftp-uploads.js'
import { benchTraces } from './traces.js'
import { benchUpserts } from './upserts.js'
import { benchVendors } from './vendors.js'
import { benchWorkers } from './workers.js'
import { note } from './figure.js'

const benches: Record<string, () => Promise<void>> = {
  pipeline: benchPipeline,
  'end-to-end': benchEndToEnd,
  delta: benchDelta,
  memory: benchMemory,
  fitment: benchFitment,
  search: benchSearch,
  reads: benchReads,
  growth: benchGrowth,
  'sftp-distance': benchSftpDistance,
  'sftp-uploads': benchSftpUploads,
  upserts: benchUpserts,
  workers: benchWorkers,
  vendors: benchVendors,
  fairness: benchFairness,
  'small-jobs': benchSmallJobs,
  'compiled-anew': benchCompiledAnew,
  analytics: benchAnalytics,
  'size-charts': benchSizeCharts,
  'large-requests': benchLargeRequests,
  'hold-ups': benchHoldUps,
  hostile: benchHostile,
  traces: benchTraces
}

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !Object.hasOwn(benches, name))
if (unknown.length > 0) {
  note(`Unknown: ${unknown.join(', ')}. There are: ${Object.keys(benches).join(', ')}`)
  process.exit(2)
}
for (const [name, run] of Object.entries(benches)) {
  if (wanted.length === 0 || wanted.includes(name)) await run()
}
