import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import t from 'tap'
import { identityOf, isRunning, ownIdentity, startTokenFromPs } from '../../../src/embedded/process-identity.js'

t.test('a running process is recognised', async (t) => {
  t.ok(isRunning(ownIdentity()))
  t.strictSame(ownIdentity(), ownIdentity())
})

t.test('two processes have different start times or pids, so neither passes for the other', async (t) => {
  const child = spawn('sleep', ['60'])
  t.teardown(() => child.kill())
  const other = identityOf(child.pid ?? 0)
  t.ok(other)
  t.notOk(isRunning({ ...ownIdentity(), startToken: other?.startToken ?? '' }))
})

t.test('a process that has ended is not running', async (t) => {
  t.equal(identityOf(spawnSync('true').pid), undefined)
})

t.test('a zombie is not running', { skip: process.platform !== 'linux' && 'read from /proc' }, async (t) => {
  // The shell becomes a sleep, which does not wait for the child that it has inherited.
  const parent = spawn('sh', ['-c', '(read line) & echo $!; exec sleep 60'], { stdio: ['pipe', 'pipe', 'ignore'] })
  t.teardown(() => parent.kill())
  const [line] = await once(parent.stdout, 'data') as [Buffer]
  const pid = Number(line.toString())
  const deadline = Date.now() + 5_000
  while (identityOf(pid) !== undefined && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 5))
  t.equal(identityOf(pid), undefined)
  t.doesNotThrow(() => process.kill(pid, 0), 'although its pid is still taken')
})

t.test('where there is no /proc, ps tells the start time', async (t) => {
  t.match(startTokenFromPs(process.pid), /\d\d:\d\d:\d\d \d{4}$/)
  t.equal(startTokenFromPs(spawnSync('true').pid), undefined)
})
