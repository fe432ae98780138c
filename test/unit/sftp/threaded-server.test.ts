import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import t, { type Test } from 'tap'
import { generateEd25519KeyPair } from '../../../src/sftp/key-pair.js'
import { startThreadedSftpServer, type ThreadedSftpServer } from '../../../src/sftp/threaded-server.js'
import { createSftpFiles } from '../../../src/sources/sftp-files.js'
import { fingerprintOfPair } from '../../support/key-fingerprint.js'
import { recordingLog, silent } from '../../support/log.js'
import { testFolder } from '../../support/test-folder.js'
import { eventually, openSftp, type TestClient } from './harness.js'
import type { IdleThreadData } from './idle-sftp-thread.js'
import type { Death, MortalThreadData } from './mortal-sftp-thread.js'

const entry = new URL('./mortal-sftp-thread.js', import.meta.url)
const idleEntry = new URL('./idle-sftp-thread.js', import.meta.url)
const pair = generateEd25519KeyPair('acme')

interface Started {
  server: ThreadedSftpServer
  port: number
  folder: string
  incoming: string
  threads: Worker[]
  /** Of the thread that lives. */
  die: (death: Death | 'killed') => void
  logText: () => string
  merchant: (t: Test) => Promise<TestClient>
  isAway: () => boolean
}

async function start (t: Test, { port: wanted = 0, folder = testFolder(t), restartDelayMs = 10 }: { port?: number, folder?: string, restartDelayMs?: number } = {}): Promise<Started> {
  const threads: Worker[] = []
  const keep = (worker: Worker): void => { threads.push(worker) }
  process.on('worker', keep)
  t.teardown(() => { process.off('worker', keep) })
  const { log, text } = recordingLog()
  const rootDir = join(folder, 'vendors')
  const server = await startThreadedSftpServer({
    entry,
    dataFor: (port): MortalThreadData => ({
      vendorId: 'acme',
      fingerprint: fingerprintOfPair(pair),
      server: {
        host: '127.0.0.1',
        port,
        rootDir,
        hostKeys: { made: join(folder, 'host_key') },
        serviceKeyFile: join(folder, 'service_key'),
        knownHostsFile: join(folder, 'known_hosts')
      }
    }),
    port: wanted,
    log,
    resourceLimits: { maxOldGenerationSizeMb: 64 },
    restartDelayMs
  })
  t.teardown(server.close)
  const { port } = server.address
  return {
    server,
    port,
    folder,
    incoming: join(rootDir, 'acme', 'incoming'),
    threads,
    die: (death) => {
      const thread = threads.at(-1)
      if (death === 'killed') void thread?.terminate()
      else thread?.postMessage(death)
    },
    logText: text,
    merchant: async (t) => {
      const client = await openSftp(t, { port, username: 'acme', privateKey: pair.private })
      client.client.on('error', () => { /* what breaks is what is tested */ })
      return client
    },
    isAway: () => {
      try {
        server.check()
        return false
      } catch {
        return true
      }
    }
  }
}

/** Resolves once another thread serves. */
async function back ({ isAway }: Started): Promise<void> {
  await eventually(isAway)
  await eventually(() => !isAway())
}

t.test('it serves, on a port that it tells', async (t) => {
  const running = await start(t)
  const { put, get } = await running.merchant(t)
  await put('incoming/a.jsonl', 'a line')
  t.equal(await get('incoming/a.jsonl'), 'a line')
})

t.test('a server that cannot be started is an error, with its reason', async (t) => {
  const { port } = await start(t)
  await t.rejects(start(t, { port }), { message: /EADDRINUSE/ })
})

for (const death of ['killed', 'heap', 'throw'] as const) {
  t.test(`a thread that dies (${death}) breaks its uploads, and another serves on the same port with the same key`, async (t) => {
    const running = await start(t, { restartDelayMs: 200 })
    const { port, server, incoming, die } = running
    const { client, open, write, put } = await running.merchant(t)
    await put('incoming/whole.jsonl', 'whole')
    await write(await open('incoming/half.jsonl', 'w'), 'half a fi')
    const broken = once(client, 'close')
    die(death)
    await broken
    await back(running)
    const again = await running.merchant(t)
    t.strictSame(await readdir(incoming), ['whole.jsonl'])
    t.strictSame(await readdir(join(incoming, '..', '.uploading')), [], 'what was uploaded by half is discarded')
    await again.put('incoming/half.jsonl', 'now whole')
    t.equal(server.address.port, port)
    t.match(running.logText(), 'the SFTP server is gone; it is started again')
    if (death !== 'killed') t.match(running.logText(), death === 'heap' ? 'ERR_WORKER_OUT_OF_MEMORY' : 'a fault of the thread')
  })
}

t.test('a reader of files goes on where it was when the thread dies', async (t) => {
  const running = await start(t)
  const { port, folder, incoming, die } = running
  const content = randomBytes(20_000_000)
  await mkdir(incoming, { recursive: true })
  await writeFile(join(incoming, 'a'), content)
  const files = createSftpFiles({
    url: `sftp://catalog-service@127.0.0.1:${port}/{vendorId}`,
    privateKeyFile: join(folder, 'service_key'),
    hostKeys: { knownHostsFile: join(folder, 'known_hosts') },
    log: silent,
    reconnect: { firstDelayMs: 5, maxDelayMs: 50 }
  })
  t.teardown(async () => { await files.close() })
  const pieces: Buffer[] = []
  for await (const piece of files.read('acme', 'a', { signal: new AbortController().signal })) {
    if (pieces.push(piece as Buffer) === 5) die('killed')
  }
  t.ok(Buffer.concat(pieces).equals(content))
  t.equal(running.threads.length, 2)
})

t.test('a port that is taken when it starts again is waited for', async (t) => {
  const running = await start(t, { restartDelayMs: 200 })
  running.die('killed')
  await eventually(running.isAway)
  const other: Server = createServer().listen(running.port, '127.0.0.1')
  await once(other, 'listening')
  await eventually(() => running.logText().includes('could not be started again'))
  t.match(running.logText(), 'EADDRINUSE')
  other.close()
  await eventually(() => !running.isAway())
  await (await running.merchant(t)).realpath('.')
})

t.test('closing it ends its connections and its thread, and starts no other', async (t) => {
  const { merchant, server, threads, logText } = await start(t)
  const { client } = await merchant(t)
  const closed = once(client, 'close')
  const exited = once(threads[0] as Worker, 'exit')
  await Promise.all([server.close(), server.close()])
  await Promise.all([closed, exited])
  t.equal(threads.length, 1)
  t.equal(logText(), '')
})

t.test('closing it while it waits to start again is closing it', async (t) => {
  const running = await start(t, { restartDelayMs: 60_000 })
  running.die('killed')
  await eventually(running.isAway)
  await running.server.close()
  t.equal(running.threads.length, 1)
})

t.test('closing it while another thread is starting leaves none', async (t) => {
  const running = await start(t, { restartDelayMs: 1 })
  running.die('killed')
  await eventually(() => running.threads.length === 2)
  const exited = once(running.threads[1] as Worker, 'exit')
  await Promise.all([running.server.close(), exited])
  t.ok(running.isAway())
})

/** Its first thread dies at once; the next is given this. */
async function startIdle (next: IdleThreadData): Promise<ThreadedSftpServer> {
  let starts = 0
  return await startThreadedSftpServer({ entry: idleEntry, dataFor: (): IdleThreadData => ++starts === 1 ? { dies: true } : next, port: 0, log: silent, restartDelayMs: 1 })
}

t.test('closing it ends a thread that is starting and does not come to serve', async (t) => {
  const threads: Worker[] = []
  const keep = (worker: Worker): void => { threads.push(worker) }
  process.on('worker', keep)
  t.teardown(() => { process.off('worker', keep) })
  const server = await startIdle({ isMute: true })
  await eventually(() => threads.length === 2)
  const exited = once(threads[1] as Worker, 'exit')
  await server.close()
  await exited
  t.equal(threads.length, 2)
})

t.test('a thread whose word cannot be read is replaced', async (t) => {
  const running = await start(t)
  running.threads[0]?.emit('messageerror', new Error('cannot be read'))
  await back(running)
  t.equal(running.threads.length, 2)
})

t.test('closing it ends it, at whatever moment another thread comes to serve', async () => {
  // In microtasks from the thread's word that it serves.
  for (let moment = 0; moment < 10; moment++) {
    let starts = 0
    await new Promise<void>((resolve, reject) => {
      let server: ThreadedSftpServer | undefined
      startThreadedSftpServer({
        entry: idleEntry,
        dataFor (): IdleThreadData {
          if (++starts === 2) process.once('worker', (thread) => { thread.once('message', () => { closeAfter(moment).then(resolve, reject) }) })
          return { dies: starts === 1 }
        },
        port: 0,
        log: silent,
        restartDelayMs: 1
      }).then((running) => { server = running }, reject)
      async function closeAfter (microtasks: number): Promise<void> {
        for (let left = microtasks; left > 0; left--) await Promise.resolve()
        await server?.close()
      }
    })
  }
})

t.test('its own clients find its key', async (t) => {
  const { folder, server } = await start(t)
  t.match(await readFile(join(folder, 'known_hosts'), 'utf8'), /^\* ssh-ed25519 AAAA\S+ catalog-sftp\n$/)
  t.match(server.hostKeyFingerprint, /^SHA256:/)
})
