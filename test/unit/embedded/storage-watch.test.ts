import { spawn } from 'node:child_process'
import { once } from 'node:events'
import t from 'tap'
import type { GuardedChild } from '../../../src/embedded/guarded-child.js'
import { watchStorage } from '../../../src/embedded/storage-watch.js'
import { silent } from '../../support/log.js'
import { proxiedDatabase } from '../../support/proxied-database.js'
import { startSlowServer } from '../../support/slow-server.js'
import { testFolder } from '../../support/test-folder.js'

t.test('a server that could not be reached when its watch began is ended all the same when its storage has given up', async (t) => {
  const broken = { ok: 0, code: 1, codeName: 'InternalError', errmsg: 'WT_PANIC' }
  const { url } = await startSlowServer(t, { countedMs: 0, refusal: broken })
  const { proxy, url: proxied } = await proxiedDatabase(t, url)
  proxy.cut()
  const process = spawn('sleep', ['600'])
  t.teardown(() => { process.kill('SIGKILL') })
  const ended = once(process, 'exit')
  const child = { pid: process.pid, exited: ended } as unknown as GuardedChild
  const closing = new AbortController()
  t.teardown(() => { closing.abort() })
  const watching = watchStorage({ child, url: proxied, dataPath: testFolder(t) }, silent, closing.signal)
  // Longer than a look waits for a server.
  t.equal(await Promise.race([ended, new Promise((resolve) => { setTimeout(resolve, 4_000, 'not ended') })]), 'not ended')
  proxy.restore()
  t.strictSame(await Promise.race([ended, new Promise((resolve) => { setTimeout(resolve, 30_000, 'not ended').unref() })]), [null, 'SIGKILL'])
  closing.abort()
  await watching
})
