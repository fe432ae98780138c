import { existsSync } from 'node:fs'
import t from 'tap'
import { testFolder } from '../../support/test-folder.js'

t.test('the folder of a test is there while the test tears down, and gone after it', async (t) => {
  let folder = ''
  let wasThere = false
  await t.test('inner', async (t) => {
    folder = testFolder(t, { file: 'content' })
    t.teardown(() => { wasThere = existsSync(folder) })
  })
  t.ok(wasThere)
  t.notOk(existsSync(folder))
})
