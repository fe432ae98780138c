/** A line is never applied twice, and a re-run tells what the first run would have told. */
import t from 'tap'
import type { Patience } from '../../../../src/store/database/while-away.js'
import { testDatabase } from '../../../support/database.js'
import { catalogOf } from '../../../support/catalog-contents.js'
import { line } from '../../../support/product-lines.js'
import { statsOf, testCatalog } from '../test-catalog.js'

const parts = await testDatabase(t)

/** What was done is not acknowledged: everything is done again. */
const lostAcknowledgements: Patience = async (operation) => {
  await operation()
  return await operation()
}

/** Everything that makes counting hard: repeats, deltas before their product, bad lines among good ones. */
const lines = [
  { externalId: 'new', tags: ['too early'] }, line('new', { name: 'First' }), { externalId: 'new', name: 'Second' }, { externalId: 'new', tags: 5 }, { externalId: 'new', name: 'Third' },
  line('old', { name: 'Changed' }), line('same'), '{', line('twice'), line('twice'), line('images', { variants: [{ externalId: 'V', name: 'V', imageExternalId: 'x' }] }),
  { externalId: 'old', name: 'Changed again' }, { externalId: 'new', variants: [{ externalId: 'W' }] }, { externalId: 'never', name: 'x' }, { externalId: 'new', name: 'Last' }
]
const before = [line('old'), line('same')]
const expected = statsOf(3, 7, 5)

async function reference (batchSize: number) {
  const catalog = testCatalog(parts)
  await catalog.import(before)
  const { stats, errors, warnings } = await catalog.import(lines, { batchSize })
  return { stats, errors, warnings, contents: await contentsOf(catalog.vendorId) }
}

const contentsOf = async (vendorId: string): Promise<unknown[]> =>
  (await catalogOf(parts.database, vendorId) as Array<{ externalId: string, name: string, tags: string[] }>).map(({ externalId, name, tags }) => ({ externalId, name, tags }))
    .sort((a, b) => a.externalId.localeCompare(b.externalId))

for (const batchSize of [1, 2, 4, 100]) {
  t.test(`in batches of ${batchSize}`, async (t) => {
    const once = await reference(batchSize)

    t.test('an import in one go tells this', async (t) => { t.strictSame(once.stats, expected) })

    t.test('wherever the first attempt is lost, the second tells the same and leaves the same', async (t) => {
      for (let lostAfter = 0; lostAfter <= lines.length; lostAfter += batchSize === 1 ? 1 : batchSize) {
        const catalog = testCatalog(parts)
        await catalog.import(before)
        const { jobId } = await catalog.import(lines, { batchSize, lostAfter: Math.min(lostAfter, lines.length - 1) })
        const { stats, errors, warnings } = await catalog.import(lines, { batchSize, jobId, attempt: 2 })
        t.strictSame({ stats, errors, warnings, contents: await contentsOf(catalog.vendorId) }, once, `lost after ${lostAfter}`)
      }
    })

    t.test('a second attempt over what is all done writes nothing', async (t) => {
      const catalog = testCatalog(parts)
      await catalog.import(before)
      const { jobId } = await catalog.import(lines, { batchSize })
      const stored = await Promise.all(['new', 'old', 'same', 'twice', 'images'].map(catalog.product))
      t.strictSame((await catalog.import(lines, { batchSize, jobId, attempt: 2 })).stats, expected)
      t.strictSame(await Promise.all(['new', 'old', 'same', 'twice', 'images'].map(catalog.product)), stored)
    })

    t.test('acknowledgements that are lost change nothing', async (t) => {
      const catalog = testCatalog(parts)
      await catalog.import(before)
      const { stats, errors, warnings } = await catalog.import(lines, { batchSize, patience: lostAcknowledgements })
      t.strictSame({ stats, errors, warnings, contents: await contentsOf(catalog.vendorId) }, once)
    })
  })
}

t.test('attempt 2 does not undo an upsertProducts in between', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import([line('old', { tags: ['before'] })])
  const sent = [line('new', { name: 'From the file' }), line('old', { name: 'From the file' })]
  const { jobId } = await catalog.import(sent)
  await catalog.upsert({ externalId: 'new', name: 'Upserted' }, { externalId: 'old', name: 'Upserted' })
  const { stats } = await catalog.import(sent, { jobId, attempt: 2 })
  t.equal((await catalog.product('new')).name, 'Upserted')
  t.equal((await catalog.product('old')).name, 'Upserted')
  t.strictSame(stats, statsOf(1, 1), 'what the first attempt created still counts as created')
})

t.test('attempt 2 does not undo an upsertProducts between two lines of one product', async (t) => {
  const catalog = testCatalog(parts)
  const sent = [line('P', { name: 'First' }), { externalId: 'P', name: 'Second' }, { externalId: 'P', tags: ['third'] }]
  const { jobId } = await catalog.import(sent, { batchSize: 1, lostAfter: 2 })
  await catalog.upsert({ externalId: 'P', name: 'Upserted' })
  const { stats } = await catalog.import(sent, { batchSize: 1, jobId, attempt: 2 })
  t.match(await catalog.product('P'), { name: 'Upserted', tags: ['third'] })
  t.strictSame(stats, statsOf(1, 2))
})

t.test('a line that had changed nothing is applied by attempt 2 to what an upsertProducts has made of its product, as if the job had come to it only then', async (t) => {
  const catalog = testCatalog(parts)
  const sent = [line('P', { name: 'From the file' })]
  await catalog.import(sent)
  const { jobId } = await catalog.import(sent)
  await catalog.upsert({ externalId: 'P', name: 'Upserted', tags: ['upserted'] })
  t.strictSame((await catalog.import(sent, { jobId, attempt: 2 })).stats, statsOf(0, 1))
  t.match(await catalog.product('P'), { name: 'From the file', tags: ['upserted'] })
})

t.test('a product that upsertProducts made first was not created by the job', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.upsert({ externalId: 'P', name: 'P', brandName: 'B', externalUrl: 'https://example.com/p' })
  const sent = [line('P')]
  const { jobId, stats } = await catalog.import(sent)
  t.strictSame(stats, statsOf(0, 1))
  t.strictSame((await catalog.import(sent, { jobId, attempt: 2 })).stats, statsOf(0, 1))
})

t.test('another job with the same lines counts for itself', async (t) => {
  const catalog = testCatalog(parts)
  t.strictSame((await catalog.import([line('P')])).stats, statsOf(1, 0))
  t.strictSame((await catalog.import([line('P')])).stats, statsOf(0, 1))
  t.strictSame((await catalog.import([line('P', { name: 'x' })], { attempt: 2 })).stats, statsOf(0, 1))
})

t.test('a line that an earlier attempt found bad stays bad, though it would be good by now', async (t) => {
  const catalog = testCatalog(parts)
  const sent = [{ externalId: 'P', tags: ['a'] }]
  const { jobId } = await catalog.import(sent)
  await catalog.upsert({ externalId: 'P', name: 'P', brandName: 'B', externalUrl: 'https://example.com/p' })
  const { stats, errors } = await catalog.import(sent, { jobId, attempt: 2 })
  t.strictSame(stats, statsOf(0, 0, 1))
  t.equal(errors.length, 1)
  t.strictSame((await catalog.product('P')).tags, [])
})

t.test('a second attempt of a dry run counts anew', async (t) => {
  const catalog = testCatalog(parts)
  const { jobId, stats } = await catalog.import(lines, { dryRun: true })
  const again = await catalog.import(lines, { dryRun: true, jobId, attempt: 2 })
  t.strictSame(again.stats, stats)
})

t.test('with two issues kept, the other bad lines are counted, also by those who begin anew or lose an answer', async (t) => {
  const once = await reference(2)
  for (const [patience, lostPlaces] of [[undefined, [0, 8]], [lostAcknowledgements, [8]]] as const) {
    for (const lostAfter of lostPlaces) {
      const catalog = testCatalog(parts)
      await catalog.import(before)
      const options = { batchSize: 2, maxKeptIssues: 2, ...(patience === undefined ? {} : { patience }) }
      const { jobId } = await catalog.import(lines, { ...options, lostAfter })
      const { stats } = await catalog.import(lines, { ...options, jobId, attempt: 2 })
      t.strictSame({ stats, contents: await contentsOf(catalog.vendorId) }, { stats: once.stats, contents: once.contents }, `lost after ${lostAfter}`)
      const { importIssues } = parts.repositories
      t.equal(await importIssues.countBadLines(catalog.vendorId, jobId), once.errors.length)
      t.equal(await importIssues.countKept(catalog.vendorId, jobId), 2)
      const bad = await importIssues.errorsBetween(jobId, 0, 1, lines.length)
      t.strictSame([...bad.keys()].sort((a, b) => a - b), once.errors.map((error) => Number.parseInt(error)))
    }
  }
})
