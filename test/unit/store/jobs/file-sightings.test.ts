import t from 'tap'
import type { SeenFile } from '../../../../src/store/jobs/file-sightings.js'
import { testDatabase } from '../../../support/database.js'

const { repositories: { fileSightings }, database: { collections } } = await testDatabase(t)
const [first, second, third] = [Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 2), Date.UTC(2026, 0, 3)]
const file = (name: string, change: Partial<SeenFile> = {}): SeenFile => ({ name, size: 1, modifiedAtMs: 0, ...change })
const stored = async (vendorId: string): Promise<number> => await collections.fileSightings.countDocuments({ vendorId })

t.test('the first sighting stands, for each vendor by itself', async (t) => {
  await fileSightings.update('acme', [file('a')], first)
  t.strictSame(await fileSightings.update('acme', [file('a'), file('b')], second), new Map([['a', first], ['b', second]]))
  t.strictSame(await fileSightings.update('other', [file('a')], third), new Map([['a', third]]))
  t.strictSame(await fileSightings.update('acme', [file('a'), file('b')], third), new Map([['a', first], ['b', second]]))
})

for (const change of [{ size: 2 }, { modifiedAtMs: 1_000 }]) {
  t.test(`a file with another ${Object.keys(change).join()} is another file`, async (t) => {
    await fileSightings.update('changes', [file('a')], first)
    t.strictSame(await fileSightings.update('changes', [file('a', change)], second), new Map([['a', second]]))
    t.equal(await stored('changes'), 1)
    t.strictSame(await fileSightings.update('changes', [file('a')], third), new Map([['a', third]]), 'and the one of before is forgotten')
  })
}

t.test('what is gone is forgotten', async (t) => {
  await fileSightings.update('gone', [file('a'), file('b')], first)
  await fileSightings.update('gone', [file('b')], second)
  t.equal(await stored('gone'), 1)
  t.strictSame(await fileSightings.update('gone', [file('a'), file('b')], third), new Map([['a', third], ['b', first]]))
  await fileSightings.update('gone', [], third)
  t.equal(await stored('gone'), 0)
})

t.test('more files than go into one command are seen, and forgotten', async (t) => {
  const files = Array.from({ length: 2_500 }, (_, index) => file(`${index}.jsonl`))
  await fileSightings.update('many', files, first)
  const again = await fileSightings.update('many', files, second)
  t.strictSame([again.size, new Set(again.values())], [2_500, new Set([first])])
  await fileSightings.update('many', files.slice(0, 1), second)
  t.equal(await stored('many'), 1)
})

t.test('of workers that see a file at the same time one is first', async (t) => {
  await Promise.all([first, second, third].map(async (nowMs) => await fileSightings.update('racing', [file('a'), file('b')], nowMs)))
  const seen = await fileSightings.update('racing', [file('a'), file('b')], Date.now())
  t.ok([...seen.values()].every((at) => at <= third))
})
