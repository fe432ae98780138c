import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { identityOf, isRunning, ownIdentity, startTokenFromPs } from '../../../src/embedded/process-identity.js'
import { eventually } from '../../support/eventually.js'

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
  // The shell becomes a sleep, which does not wait for the child that it has inherited. The child ends only after that:
  // the shell would have reaped it.
  const parent = spawn('sh', ['-c', 'exec 3<&0; (read line <&3) & echo $!; exec sleep 60'], { stdio: ['pipe', 'pipe', 'ignore'] })
  t.teardown(() => parent.kill())
  const [line] = await once(parent.stdout, 'data') as [Buffer]
  const pid = Number(line.toString())
  await eventually('the shell is a sleep', () => readFileSync(`/proc/${parent.pid}/comm`, 'utf8').trim() === 'sleep')
  parent.stdin.end()
  await eventually('the child has ended', () => identityOf(pid) === undefined)
  t.equal(identityOf(pid), undefined)
  t.doesNotThrow(() => process.kill(pid, 0), 'although its pid is still taken')
})

t.test('where there is no /proc, ps tells the start time', async (t) => {
  t.match(startTokenFromPs(process.pid), /\d\d:\d\d:\d\d \d{4}$/)
  t.equal(startTokenFromPs(spawnSync('true').pid), undefined)
})
