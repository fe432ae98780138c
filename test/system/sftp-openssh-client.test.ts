/** OpenSSH's own sftp and scp against the built-in server: what merchants' scripts use. Skipped where they are not installed. */
import { execFile, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { incomingOf, startServer, unfinished, type Teardown, type TestServer } from '../unit/sftp/harness.js'

const isInstalled = ['sftp', 'scp'].every((name) => spawnSync(name, ['-?']).error === undefined)
const skip = isInstalled ? {} : { skip: 'OpenSSH\'s client is not installed' }

interface Merchant {
  running: TestServer
  dir: string
  /** Runs a batch; resolves with what was printed. */
  sftp: (commands: string[]) => Promise<string>
  scp: (from: string, to: string) => Promise<unknown>
}

async function merchant (t: Teardown): Promise<Merchant> {
  const running = await startServer(t)
  const dir = join(running.rootDir, '..')
  const identity = join(dir, 'identity')
  await writeFile(identity, running.keys.acme.private, { mode: 0o600 })
  const options = [
    '-P', String(running.port), '-i', identity, '-o', 'IdentitiesOnly=yes', '-o', 'BatchMode=yes',
    '-o', 'StrictHostKeyChecking=no', '-o', `UserKnownHostsFile=${join(dir, 'known-hosts')}`, '-F', 'none'
  ]
  return {
    running,
    dir,
    async sftp (commands) {
      const batch = join(dir, 'batch')
      await writeFile(batch, commands.join('\n'))
      return (await promisify(execFile)('sftp', [...options, '-b', batch, 'acme@127.0.0.1'])).stdout
    },
    scp: async (from, to) => await promisify(execFile)('scp', [...options, from, to])
  }
}

t.test('put, put -p, ls, rename, get and rm', skip, async (t) => {
  const { sftp, dir, running } = await merchant(t)
  const content = randomBytes(3_000_000)
  await writeFile(join(dir, 'a'), content)
  const printed = await sftp([
    `put ${join(dir, 'a')} incoming/a.part`, `put -p ${join(dir, 'a')} incoming/b.jsonl`, 'rename incoming/a.part incoming/a.jsonl',
    'ls -l incoming', `get incoming/a.jsonl ${join(dir, 'back')}`, 'rm incoming/b.jsonl'
  ])
  t.match(printed, /-rw-r--r-- .* 3000000 .* (incoming\/)?a\.jsonl\n/)
  t.ok((await readFile(join(dir, 'back'))).equals(content))
  t.strictSame(await readdir(await incomingOf(running)), ['a.jsonl'])
  t.strictSame(await unfinished(running), [])
})

t.test('reput resumes an upload', skip, async (t) => {
  const { sftp, dir, running } = await merchant(t)
  const content = randomBytes(1_000_000)
  const local = join(dir, 'a')
  await writeFile(local, content.subarray(0, 400_000))
  await sftp([`put ${local} incoming/a`])
  await writeFile(local, content)
  await sftp([`reput ${local} incoming/a`])
  t.ok((await readFile(join(await incomingOf(running), 'a'))).equals(content))
})

t.test('scp uploads and downloads, and says that it did', skip, async (t) => {
  const { scp, dir } = await merchant(t)
  const content = randomBytes(1_000_000)
  await writeFile(join(dir, 'a'), content)
  await scp(join(dir, 'a'), 'acme@127.0.0.1:incoming/a')
  await scp('acme@127.0.0.1:incoming/a', join(dir, 'back'))
  t.ok((await readFile(join(dir, 'back'))).equals(content))
})

t.test('what is refused ends the batch with an error', skip, async (t) => {
  const { sftp } = await merchant(t)
  for (const command of ['mkdir incoming/sub', 'symlink /etc/passwd incoming/link', 'get ../../../etc/passwd', 'rmdir incoming']) {
    await t.rejects(sftp([command]), { code: 1 }, command)
  }
})
