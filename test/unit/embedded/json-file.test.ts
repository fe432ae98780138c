import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { createJson, readJson, writeJson } from '../../../src/embedded/json-file.js'
import { testFolder } from '../../support/test-folder.js'

t.test('only its owner may read the file', async (t) => {
  const path = join(testFolder(t, {}), 'a.json')
  await writeJson(path, {})
  t.equal((await stat(path)).mode & 0o777, 0o600)
})

t.test('a reader sees the old content or the new, never half of one', async (t) => {
  const path = join(testFolder(t, {}), 'a.json')
  const content = (letter: string): { text: string } => ({ text: letter.repeat(200_000) })
  await writeJson(path, content('a'))
  const writing = (async () => {
    for (const letter of 'bcdefghij') await writeJson(path, content(letter))
  })()
  for (let round = 0; round < 50; round++) {
    const text = (await readJson<{ text: string }>(path))?.text ?? ''
    if (text.length !== 200_000 || new Set(text).size !== 1) t.fail('half a file')
  }
  await writing
})

t.test('of several that create the same file, one does', async (t) => {
  const path = join(testFolder(t, {}), 'a.json')
  const results = await Promise.all([1, 2, 3, 4].map(async (number) => await createJson(path, { number })))
  t.equal(results.filter(Boolean).length, 1)
  t.equal((await readJson<{ number: number }>(path))?.number, results.indexOf(true) + 1)
})

t.test('nothing is left beside the file', async (t) => {
  const folder = testFolder(t, {})
  await writeJson(join(folder, 'a.json'), {})
  await createJson(join(folder, 'a.json'), {})
  t.strictSame(await readdir(folder), ['a.json'])
})

t.test('a folder that is not there is an error', async (t) => {
  await t.rejects(writeJson(join(testFolder(t, {}), 'missing', 'a.json'), {}), { code: 'ENOENT' })
})

for (const [what, content] of [['empty', ''], ['cut off', '{"a":'], ['no object', '7'], ['null', 'null']] as const) {
  t.test(`a file that is ${what} reads as none`, async (t) => {
    t.equal(await readJson(join(testFolder(t, { 'a.json': content }), 'a.json')), undefined)
  })
}

t.test('a file that may not be read is an error, not none', async (t) => {
  await t.rejects(readJson(testFolder(t, {})), { code: 'EISDIR' })
})
