/** The story of `npm run demo`, small: its own checks fail it when anything is off. */
import { PassThrough } from 'node:stream'
import t from 'tap'
import { startService } from '../../src/bin/service.js'
import { runDemo } from '../../src/cli/demo.js'
import { createScreen } from '../../src/cli/screen.js'
import { loadConfig } from '../../src/config.js'
import { testDatabase } from '../support/database.js'
import { testFolder } from '../support/test-folder.js'
import { silent } from '../support/log.js'

t.test('upload, REPLACE, UPDATE and GraphQL agree with the sample files', async (t) => {
  const { url, repositories } = await testDatabase(t)
  const shown = new PassThrough()
  const folder = testFolder(t)
  await runDemo({ folder, screen: createScreen(shown, {}), signal: new AbortController().signal, products: 600, badLineEvery: 100 }, async () => {
    const config = loadConfig({ DATA_DIR: `${folder}/data`, MONGODB_URL: url, PORT: '0', SFTP_PORT: '0' })
    const service = await startService(config, silent)
    t.teardown(async () => { await service.close() })
    return { url: service.url, sftp: service.sftp, repositories }
  })
  const text = String(shown.read())
  for (const line of [/✔ REPLACE import +completed/, /created +594\n/, /line 100: Malformed JSON/, /✔ UPDATE import +completed/, /✔ GraphQL +product P-/]) t.match(text, line)
})
