import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { loadConfig } from '../../../../src/config.js'
import { examine } from '../../../../src/cli/doctor/check.js'
import { diskArea } from '../../../../src/cli/doctor/disk.js'
import { testFolder } from '../../../support/test-folder.js'

t.test('the file system of a DATA_DIR is tried, also of one that is not there yet, and nothing is left', async (t) => {
  const folder = testFolder(t, {})
  for (const dataDir of [folder, join(folder, 'not', 'yet')]) {
    const findings = await examine(diskArea(loadConfig({ DATA_DIR: dataDir })))
    t.match(findings, [{ name: 'disk space', detail: new RegExp(`free at ${dataDir}`) }, { name: 'disk fsync', detail: /^4 KB are safe after \d+\.\d ms/ }])
  }
  t.strictSame(await readdir(folder), [])
})

t.test('a DATA_DIR that is a file fails with what mends it', async (t) => {
  const folder = testFolder(t, { file: '' })
  const dataDir = join(folder, 'file', 'data')
  t.match(await examine(diskArea(loadConfig({ DATA_DIR: dataDir }))), [{ name: 'disk space', status: 'fail', detail: /ENOTDIR/, fix: `make ${dataDir} writable for this user` }])
})

t.test('what holds nothing that lasts may be small', async (t) => {
  const folder = testFolder(t, {})
  const config = loadConfig({ DATA_DIR: folder, MONGODB_URL: 'mongodb://h/c', ROLES: 'worker' })
  t.match(await examine(diskArea(config)), [{ status: 'ok', detail: /which holds nothing that lasts$/ }, { status: 'ok' }])
})
