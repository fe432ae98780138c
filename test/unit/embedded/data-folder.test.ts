import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { makeDataFolder } from '../../../src/embedded/data-folder.js'
import { testFolder } from '../../support/test-folder.js'

t.test('folders that are missing are made, for their owner alone, also by several at once', async (t) => {
  const folder = join(testFolder(t), 'a', 'b')
  await Promise.all([makeDataFolder(folder), makeDataFolder(folder)])
  await makeDataFolder(folder)
  t.equal((await stat(folder)).mode & 0o777, 0o700)
})

t.test('one that cannot be made is named with the reason, at once', { skip: process.platform !== 'linux' }, async (t) => {
  await t.rejects(makeDataFolder('/proc/catalog/data'), { kind: 'fatal', message: /^DATA_DIR \/proc\/catalog\/data cannot be used: ENOENT.*\/proc\/catalog/ })
})

t.test('a file in its way is named with the reason', async (t) => {
  const file = join(testFolder(t), 'file')
  await writeFile(file, '')
  await t.rejects(makeDataFolder(join(file, 'data')), { kind: 'fatal', message: /^DATA_DIR .*file\/data cannot be used: ENOTDIR/ })
})
