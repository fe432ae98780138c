/** docs/security.md names a test for each threat, and each test that it names is there. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../../src/package-root.js'

const text = await readFile(join(packageRoot(), 'docs/security.md'), 'utf8')
const files = (await readdir(join(packageRoot(), 'test'), { recursive: true })).filter((path) => path.endsWith('.test.ts')).map((path) => `/${path}`)
const isThere = (name: string): boolean => files.some((path) => path.endsWith(`/${name.replace(/\.test\.ts$/, '')}.test.ts`))

interface Threat { name: string, tests: string }

/** The rows of the tables that have a column "test". */
function threats (): Threat[] {
  const found: Threat[] = []
  let column = -1
  for (const line of text.split('\n')) {
    if (!line.startsWith('|')) {
      column = -1
      continue
    }
    const cells = line.split('|').slice(1, -1).map((cell) => cell.trim())
    if (column === -1) column = cells.includes('test') ? cells.indexOf('test') : cells.length
    else if (column < cells.length && !cells.every((cell) => /^-+$/.test(cell))) found.push({ name: cells[0] ?? '', tests: cells[column] ?? '' })
  }
  return found
}

t.test('the tables are found', async (t) => {
  const names = threats().map(({ name }) => name)
  for (const number of Array.from({ length: 10 }, (_, index) => index + 1)) t.ok(names.some((name) => name.startsWith(`API${number} `)), `API${number}`)
})

for (const { name, tests } of threats()) {
  t.test(`${name} has tests, and they are there`, async (t) => {
    const named = Array.from(tests.matchAll(/`([^`]+)`/g), ([, test = '']) => test)
    t.ok(named.length > 0, 'it names one')
    t.match(tests, /^`[^`]+`(?:, `[^`]+`)*$/, 'and says nothing else')
    for (const test of named) t.ok(isThere(test), test)
  })
}

t.test('a test that a sentence names, in brackets behind it, is there', async (t) => {
  const groups = Array.from(text.matchAll(/\(([^()]*`[^()]*)\)/g), ([, group = '']) => group)
  const named = groups.flatMap((group) => Array.from(group.matchAll(/`([a-z0-9/-]+(?:\.test\.ts)?)`/g), ([, test = '']) => test)).filter((name) => /[-/.]/.test(name))
  t.ok(named.length > 5)
  for (const name of named) t.ok(isThere(name), name)
})

t.test('a file that it names is there', async (t) => {
  const sources = (await readdir(join(packageRoot(), 'src'), { recursive: true })).map((path) => `/${path}`)
  const named = Array.from(text.matchAll(/`([\w/-]+\.ts)`/g), ([, path = '']) => path)
  t.ok(named.length > 0)
  for (const [, path = ''] of text.matchAll(/`([\w/-]+\.test\.ts)`/g)) t.ok(isThere(path.replace(/^test\//, '')), path)
  for (const path of named) t.ok(sources.some((source) => source.endsWith(`/${path.replace(/^src\//, '')}`)), path)
})
