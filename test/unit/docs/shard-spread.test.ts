/** scripts/simulate-capacity.js spreads data and load over shards by the keys that the service has, and by nothing else. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { packageRoot } from '../../../src/package-root.js'
import { createRandom } from '../../../src/cli/sample-random.js'
import { shardCommands, shardKeys } from '../../../src/store/database/shard-keys.js'

interface Key { field: string, isHashed: boolean }
interface Spread { inserted: Record<string, number[]>, gigabytes: number[], largestDelta: number[], batchAsks: number, jobsIssuesOn: number }
interface ShardSpread {
  collections: Record<string, { gigabytes: number }>
  keysIn: (lines: string[]) => Map<string, Key>
  spreadOver: (keys: ReadonlyMap<string, Key>, shards: number, sizes: number[], random: () => number, drawn: number) => Spread
}

const { collections, keysIn, spreadOver } = await import(pathToFileURL(join(packageRoot(), 'scripts', 'shard-spread.js')).href) as ShardSpread
const keys = keysIn(shardCommands('catalog'))
/** The largest has a third of all. */
const sizes = [500_000, ...Array.from({ length: 1_000 }, () => 1_000)]
const spread = (changed: Record<string, Key> = {}, shards = 4): Spread => {
  const random = createRandom(1)
  return spreadOver(new Map([...keys, ...Object.entries(changed)]), shards, sizes, () => random.integer(0, 999_999_999) / 1e9, 8_000)
}
const isEven = (shares: number[]): boolean => shares.every((share) => share > 0.9 / shares.length && share < 1.1 / shares.length)

t.test('the keys are those of catalog shard-commands, each of a collection whose size is known', async (t) => {
  t.strictSame([...keys].map(([name, { field, isHashed }]) => [name, { [field]: isHashed ? 'hashed' : 1 }]), [...shardKeys])
  t.strictSame(Object.keys(collections).sort(), [...keys.keys()].sort())
  t.throws(() => keysIn(['sh.shardCollection("catalog.products", { a: 1, b: 1 })']), /not understood/)
})

t.test('however large a vendor is, its writes go to all shards alike', async (t) => {
  const { largestDelta, batchAsks, inserted, gigabytes } = spread()
  t.ok(isEven(largestDelta), String(largestDelta))
  t.ok(isEven(inserted['products'] ?? []))
  t.equal(batchAsks, 4)
  const all = Object.values(collections).reduce((sum, { gigabytes }) => sum + gigabytes, 0)
  t.ok(Math.abs(gigabytes.reduce((sum, each) => sum + each, 0) - all) < 1)
})

t.test('by vendor the largest would be one shard\'s alone', async (t) => {
  const { largestDelta, batchAsks, inserted } = spread({ products: { field: 'vendorId', isHashed: false } })
  t.strictSame([...largestDelta].sort(), [0, 0, 0, 1])
  t.equal(batchAsks, 1)
  t.ok(Math.max(...inserted['products'] ?? []) > 1 / 3)
})

t.test('what is wrong with a job is on one shard, and with many jobs on all', async (t) => {
  const { jobsIssuesOn, inserted } = spread()
  t.equal(jobsIssuesOn, 1)
  t.ok((inserted['import_issues'] ?? []).every((share) => share > 0.1))
  t.equal(spread({ import_issues: { field: '_id', isHashed: true } }).jobsIssuesOn, 4, 'hashed, a report would be asked of all')
})

t.test('what comes in the order of time goes to the last shard, unless it is hashed', async (t) => {
  t.strictSame(spread().inserted['size_chart_pdfs.chunks'], [0, 0, 0, 1])
  t.ok(isEven(spread({ 'size_chart_pdfs.chunks': { field: 'files_id', isHashed: true } }).inserted['size_chart_pdfs.chunks'] ?? []))
})

t.test('a key of which it is not known what it holds is no guess', async (t) => {
  t.throws(() => spread({ orders: { field: 'total', isHashed: false } }), /it is not known what total of orders holds/)
})
