import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { startGuardedChild, type GuardedChild } from '../../../src/embedded/guarded-child.js'
import { isRunning, identityOf } from '../../../src/embedded/process-identity.js'
import { testFolder } from '../../support/test-folder.js'

async function start (t: Test, command: string, args: string[] = [], folder = testFolder(t, {}), graceSeconds = 5): Promise<GuardedChild> {
  const child = await startGuardedChild({ command, args, env: process.env, cwd: folder, logPath: join(folder, 'child.log'), graceSeconds })
  t.teardown(async () => { await child.stop() })
  return child
}

const shell = async (t: Test, script: string, folder?: string, graceSeconds?: number): Promise<GuardedChild> =>
  await start(t, 'sh', ['-c', script], folder, graceSeconds)

async function printed (child: GuardedChild, text: string): Promise<void> {
  while (!(await child.lastLines()).includes(text)) await new Promise((resolve) => setTimeout(resolve, 10))
}

t.test("the exit code is the program's own", async (t) => {
  t.equal(await (await shell(t, 'exit 7')).exited, 'exit code 7')
})

t.test('a program that is not there ends with 127 and says so in the log', async (t) => {
  const child = await start(t, '/no/such/program')
  t.equal(await child.exited, 'exit code 127')
  t.match(await child.lastLines(), '/no/such/program')
})

t.test("the pid is the program's own", async (t) => {
  const child = await shell(t, 'echo pid $$; exec sleep 60')
  await printed(child, `pid ${child.pid}\n`.trim())
})

t.test('arguments reach the program as they are', async (t) => {
  const child = await start(t, 'printf', ['%s|', 'a b', '$HOME', '"', ';exit 1'])
  t.equal(await child.exited, 'exit code 0')
  t.equal(await child.lastLines(), 'a b|$HOME|"|;exit 1|')
})

t.test('stop() lets the program end by itself', async (t) => {
  const child = await shell(t, 'trap "echo bye; exit 3" TERM; echo up; while :; do sleep 0.05; done')
  await printed(child, 'up')
  await child.stop()
  t.equal(await child.exited, 'exit code 3')
  t.match(await child.lastLines(), 'bye')
})

t.test('a program that does not end by itself is killed after the grace period', async (t) => {
  const child = await shell(t, 'trap "" TERM; echo up; while :; do sleep 0.05; done', undefined, 1)
  await printed(child, 'up')
  await child.stop()
  t.equal(await child.exited, 'signal SIGKILL')
})

t.test('when stop() returns the program is gone, and it may be called again', async (t) => {
  const child = await shell(t, 'exec sleep 60')
  const identity = identityOf(child.pid)
  await child.stop()
  t.notOk(identity !== undefined && isRunning(identity))
  await child.stop()
})

t.test('the last lines are of this run only', async (t) => {
  const folder = testFolder(t, { 'child.log': 'yesterday\n' })
  const child = await shell(t, 'echo today', folder)
  await child.exited
  t.equal(await child.lastLines(), 'today')
  t.equal(await readFile(join(folder, 'child.log'), 'utf8'), 'yesterday\ntoday\n')
})

t.test('a log that has become long is put aside', async (t) => {
  const folder = testFolder(t, { 'child.log': '' })
  await truncate(join(folder, 'child.log'), 6 * 1024 * 1024)
  await (await shell(t, 'echo today', folder)).exited
  t.equal((await stat(join(folder, 'child.log'))).size, 6)
  t.equal((await stat(join(folder, 'child.log.1'))).size, 6 * 1024 * 1024)
})

t.test('a log that cannot be written is an error', async (t) => {
  const folder = testFolder(t, { file: '' })
  await t.rejects(startGuardedChild({ command: 'true', args: [], env: process.env, cwd: folder, logPath: join(folder, 'file', 'log'), graceSeconds: 1 }),
    { code: 'ENOTDIR' })
})

t.test('a working directory that is not there is an error', async (t) => {
  const folder = testFolder(t, {})
  await t.rejects(startGuardedChild({ command: 'true', args: [], env: process.env, cwd: join(folder, 'missing'), logPath: join(folder, 'log'), graceSeconds: 1 }),
    { code: 'ENOENT' })
})

t.test('the grace period is given also where the PATH is of no use', async (t) => {
  const folder = testFolder(t, {})
  const child = await startGuardedChild({
    command: '/bin/sh',
    args: ['-c', 'trap "/bin/sleep 0.3; exit 3" TERM; echo up; while :; do /bin/sleep 0.05; done'],
    env: { PATH: folder },
    cwd: folder,
    logPath: join(folder, 'log'),
    graceSeconds: 5
  })
  await printed(child, 'up')
  await child.stop()
  t.equal(await child.exited, 'exit code 3')
})

/** Of /proc/<pid>/stat: process group and session. */
async function groupAndSessionOf (pid: number | string): Promise<[number, number]> {
  const text = await readFile(`/proc/${pid}/stat`, 'latin1')
  const [, , group, session] = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return [Number(group), Number(session)]
}

for (const [where, env] of [['as Perl makes it', process.env], ['where there is no Perl', { PATH: '/no/such/folder' }]] as const) {
  t.test(`Ctrl-C for this process's group does not reach the program, ${where}`, async (t) => {
    const host = spawn(process.execPath, [fileURLToPath(new URL('guarding-program.js', import.meta.url)), testFolder(t, {}), JSON.stringify(env)], {
      detached: true, stdio: ['ignore', 'pipe', 'inherit']
    })
    // In a group of its own it would outlive a test that fails.
    t.teardown(() => { host.kill('SIGKILL') })
    const lines = createInterface(host.stdout)[Symbol.asyncIterator]()
    t.equal((await lines.next()).value, 'up')
    process.kill(-(host.pid ?? NaN), 'SIGINT')
    t.equal((await lines.next()).value, 'the program has printed: up')
    t.same(await once(host, 'exit'), [0, null])
  })
}

t.test('the program is scheduled with this process: it leads a group of its own in the same session', { skip: process.platform !== 'linux' }, async (t) => {
  const child = await shell(t, 'echo up; exec sleep 60')
  await printed(child, 'up')
  const [, session] = await groupAndSessionOf('self')
  t.same(await groupAndSessionOf(child.pid), [child.pid, session])
})
