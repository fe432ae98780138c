/** What becomes of lines, over the real database: stats, errors, content. */
import t from 'tap'
import { testDatabase } from '../../../support/database.js'
import { line, product } from '../../../support/product-lines.js'
import { statsOf, testCatalog } from '../test-catalog.js'

const parts = await testDatabase(t)

t.test('stats: every non-blank line is created, updated or skipped; errors are the skipped ones, each with one entry', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import([line('old')])
  const { stats, errors } = await catalog.import([line('new'), line('old', { name: 'New' }), '{', '[]', line('bad', { name: '' }), { name: 'x' }])
  t.strictSame(stats, statsOf(1, 1, 4))
  t.strictSame(errors, ['3: Malformed JSON', '4: A product must be a JSON object', '5: name must not be blank', '6: Missing required field: externalId'])
})

t.test('a valid line whose product already holds exactly that content counts as updated and writes nothing', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import([line('P', { tags: ['a'], variants: [{ sku: 'S', name: 'Blue', prices: [{ price: 1, currency: 'USD' }] }], 'meta:k': 1 })])
  const before = await catalog.product('P')
  for (const again of [
    line('P', { tags: ['a'], variants: [{ sku: 'S', name: 'Blue', prices: [{ price: 1, currency: 'USD' }] }], 'meta:k': 1 }),
    ` ${line('P', { tags: ['a'] })}`,
    { externalId: 'P' },
    { externalId: 'P', 'meta:k': '1', 'meta:none': null },
    { externalId: 'P', variants: [{ externalId: 'S', sku: 'S' }], unknown: 5 }
  ]) {
    t.strictSame((await catalog.import([again])).stats, statsOf(0, 1))
    t.strictSame(await catalog.product('P'), before)
  }
})

t.test('lines that leave their products as they were are counted: those that are known, those that are merged, and none that is bad', async (t) => {
  const catalog = testCatalog(parts)
  const lines = ['P', 'Q', 'R', 'S'].map((id) => line(id, { tags: [id] }))
  t.equal((await catalog.import(lines)).unchanged, 0)
  t.equal((await catalog.import(lines)).unchanged, 4, 'word for word')
  t.equal((await catalog.import([...lines.slice(0, 2), { externalId: 'R' }, line('S', { name: 'New' }), line('S', { name: 'New' }), line('T'), '{'])).unchanged, 4)
  t.equal((await catalog.import([...lines.slice(0, 2), line('R', { name: 'New' })], { dryRun: true })).unchanged, 2)
})

t.test('how many are unchanged is not told by a run that may find what another has written, or it has itself', async (t) => {
  const catalog = testCatalog(parts)
  t.equal((await catalog.import([line('P')], { attempt: 2 })).unchanged, null)
  const lostAcknowledgement = async <T>(write: () => Promise<T>): Promise<T> => {
    await write()
    return await write()
  }
  const { unchanged, stats } = await catalog.import([line('Q')], { patience: lostAcknowledgement })
  t.strictSame([unchanged, stats], [null, statsOf(1, 0)])
})

t.test('a line that changes something raises the revision by one', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import([line('P')])
  await catalog.import([line('P', { name: 'Changed' })])
  t.match(await catalog.product('P'), { revision: 2, name: 'Changed' })
})

t.test('UPDATE: one entry names what a new product lacks besides all other faults of its line', async (t) => {
  const catalog = testCatalog(parts)
  const { errors, stats } = await catalog.import([{
    externalId: 'P', externalUrl: 'x', archived: 'no', 'meta:long': 'x'.repeat(65_537)
  }])
  t.strictSame(stats, statsOf(0, 0, 1))
  t.strictSame(errors.length, 1)
  t.strictSame(new Set(errors[0]?.replace('1: ', '').split('; ')), new Set([
    'Missing required field: name', 'Missing required field: brandName', 'Invalid URL format for externalUrl', 'archived must be true or false',
    'meta:long must be at most 65536 characters'
  ]))
  t.equal(await catalog.find('P'), null)
})

t.test('UPDATE: the same line of a product that exists lacks nothing', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import([line('P')])
  t.strictSame((await catalog.import([{ externalId: 'P', archived: 'no' }])).errors, ['1: archived must be true or false'])
})

t.test('a new variant without a name is an error, in both modes; an existing one needs none', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import([line('P', { variants: [{ externalId: 'a', name: 'A' }] })])
  for (const mode of ['UPDATE', 'REPLACE'] as const) {
    t.strictSame((await catalog.import([line('P', { variants: [{ externalId: 'a', inventory: 1 }, { externalId: 'b' }] })], { mode })).errors, ['1: Missing required field: variants[1].name'])
    t.strictSame((await catalog.import([line('P', { variants: [{ externalId: 'a', inventory: 1 }] })], { mode })).errors, [])
  }
})

t.test('a fault in one variant does not hide that another lacks its name', async (t) => {
  const catalog = testCatalog(parts)
  const { errors } = await catalog.import([line('P', { variants: [{ externalId: 'a', name: 5 }, { externalId: 'b' }] })])
  t.strictSame(errors, ['1: Missing required field: variants[1].name; variants[0].name must be a string'])
})

t.test('an invalid line is skipped whole: nothing of it is applied', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import([line('P')])
  const before = await catalog.product('P')
  await catalog.import([line('P', { name: 'New', tags: ['new'], 'meta:k': 1, variants: [{ sku: 'S', name: 'Blue', prices: [{ price: -1, currency: 'USD' }] }] })])
  t.strictSame(await catalog.product('P'), before)
})

for (const batchSize of [500, 1]) {
  const where = batchSize === 1 ? 'in batches of their own' : 'in one batch'
  t.test(`the same product twice in a file applies in order, as in two files, ${where}`, async (t) => {
    const catalog = testCatalog(parts)
    const { stats } = await catalog.import([
      line('P', { 'meta:a': 1, tags: ['x'] }), { externalId: 'P', 'meta:b': 2, name: 'Second' }, { externalId: 'P', 'meta:a': null, name: 'Third' }
    ], { batchSize })
    t.strictSame(stats, statsOf(1, 2))
    t.match(await catalog.product('P'), { name: 'Third', tags: ['x'], metafields: [{ key: 'b', value: '2' }] })
  })

  t.test(`a delta before the line that creates its product is an error, one behind it is not, ${where}`, async (t) => {
    const catalog = testCatalog(parts)
    const { stats, errors } = await catalog.import([{ externalId: 'P', tags: ['early'] }, line('P'), { externalId: 'P', tags: ['late'] }], { batchSize })
    t.strictSame(stats, statsOf(1, 1, 1))
    t.strictSame(errors, ['1: Missing required field: name; Missing required field: brandName; Missing required field: externalUrl'])
    t.strictSame((await catalog.product('P')).tags, ['late'])
  })

  t.test(`a bad line between two good ones of its product does not stop them, ${where}`, async (t) => {
    const catalog = testCatalog(parts)
    const { stats } = await catalog.import([line('P', { tags: ['a'] }), { externalId: 'P', tags: 5 }, { externalId: 'P', categories: ['c'] }], { batchSize })
    t.strictSame(stats, statsOf(1, 1, 1))
    t.match(await catalog.product('P'), { tags: ['a'], categories: ['c'] })
  })

  t.test(`a dry run tells the same and writes nothing, ${where}`, async (t) => {
    const lines = [
      line('new', { variants: [{ externalId: 'V', name: 'V' }] }), { externalId: 'new', variants: [{ externalId: 'V', inventory: 2 }] }, { externalId: 'new', variants: [{ externalId: 'W' }] },
      line('old', { name: 'Changed' }), line('old'), { externalId: 'other' }, '{', line('new')
    ]
    const [dry, real] = [testCatalog(parts), testCatalog(parts)]
    for (const { import: run } of [dry, real]) await run([line('old')])
    const before = await dry.product('old')
    const told = await dry.import(lines, { dryRun: true, batchSize })
    const done = await real.import(lines, { batchSize })
    t.strictSame(told.stats, done.stats)
    t.strictSame(told.stats, statsOf(1, 4, 3))
    t.strictSame(told.errors, done.errors)
    t.strictSame(await dry.product('old'), before)
    t.equal(await dry.find('new'), null)
  })
}

t.test('a new product without publishedAt is a draft; null makes a draft of it again', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import([line('P')])
  t.equal((await catalog.product('P')).publishedAt, null)
  await catalog.import([{ externalId: 'P', publishedAt: '2024-05-01T12:00:00+02:00' }])
  t.strictSame((await catalog.product('P')).publishedAt, new Date('2024-05-01T10:00:00Z'))
  await catalog.import([{ externalId: 'P', publishedAt: null }])
  t.equal((await catalog.product('P')).publishedAt, null)
})

for (const id of ['__proto__', 'constructor', '$where', '{"$gt":""}', 'a.b', '$', ' P ', 'P\u0000Q', '\u{1F600}', 'P'.repeat(255), '../P', '..', 'null']) {
  t.test(`the id ${JSON.stringify(id.slice(0, 12))} is an id like any other, of product, variant, image and metafield`, async (t) => {
    const catalog = testCatalog(parts)
    const text = JSON.stringify({
      ...product('P'), externalId: id, images: [{ url: 'https://cdn.example.com/a', externalId: id }], variants: [{ externalId: id, name: 'V', imageExternalId: id }]
    }).replace(/}$/, `,${JSON.stringify(`meta:${id}`)}:"v"}`)
    t.strictSame((await catalog.import([text])).stats, statsOf(1, 0))
    t.match(await catalog.product(id), { externalId: id, metafields: [{ key: id, value: 'v' }], variants: [{ externalId: id, imageExternalId: id }] })
    t.strictSame((await catalog.import([text])).stats, statsOf(0, 1))
    t.equal((await catalog.product(id)).revision, 1)
  })
}

t.test('a vendor\'s import leaves another vendor\'s product of the same id alone', async (t) => {
  const [mine, other] = [testCatalog(parts), testCatalog(parts)]
  await other.import([line('P', { name: 'Theirs' })])
  t.strictSame((await mine.import([line('P', { name: 'Mine' })])).stats, statsOf(1, 0))
  t.equal((await other.product('P')).name, 'Theirs')
})

t.test('a product that would be larger than its bound is an error of its line, and the rest of the batch is written', async (t) => {
  const catalog = testCatalog(parts)
  // 22 metafields of 192 KiB each: above 4 MiB.
  const huge = Object.fromEntries(Array.from({ length: 22 }, (_, index) => [`meta:${index}`, '€'.repeat(65_536)]))
  const { stats, errors } = await catalog.import([line('before'), line('huge', huge), line('after')])
  t.strictSame(stats, statsOf(2, 0, 1))
  t.match(errors, [/^2: The product would be larger than \d+ bytes$/])
})

t.test('a product that grows too large line by line keeps what it had', async (t) => {
  const catalog = testCatalog(parts)
  const half = (from: number): object => Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`meta:${from + index}`, '€'.repeat(65_536)]))
  t.strictSame((await catalog.import([line('P', half(0) as never)])).stats, statsOf(1, 0))
  const { stats, errors } = await catalog.import([{ externalId: 'P', ...half(12) }, { externalId: 'P', tags: ['still works'] }])
  t.strictSame(stats, statsOf(0, 1, 1))
  t.match(errors, [/^1: The product would be larger than/])
  t.match(await catalog.product('P'), { tags: ['still works'], metafields: { length: 12 } })
})
