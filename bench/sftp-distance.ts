/**
 * Reading a file from OpenSSH's sshd through the worker's own client: over loopback, and with a round trip of 50 ms put in
 * between. In turn, several times, in one run; the ratio is what counts. Needs root, as sshd with chroot does.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pino from 'pino'
import { createSftpFiles } from '../src/sources/sftp-files.js'
import { createIncoming } from '../test/support/incoming.js'
import { createSshd, type Sshd } from '../test/services/parts/sshd.js'
import { median, note, print } from './figure.js'

const megabytes = 50
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5)
const roundTripMs = 50

interface Way { url: string, end (): void }

/** The way to the same server over a distance. */
async function over (sshd: Sshd, delayMs: number): Promise<Way> {
  const { port } = new URL(sshd.url)
  const program = fileURLToPath(new URL('distance-proxy.js', import.meta.url))
  const child = spawn(process.execPath, [program, '127.0.0.1', port, String(delayMs)], { stdio: ['pipe', 'pipe', 'inherit'] })
  const [printed] = await once(child.stdout, 'data') as [Buffer]
  return { url: sshd.url.replace(`:${port}/`, `:${printed.toString().trim()}/`), end: () => { child.stdin.end() } }
}

/** Of one read of the file, from its opening to the check after its last byte, on the connection that a job has by then. */
async function megabytesPerSecond (url: string, { privateKeyFile, hostKeyFingerprint }: Sshd): Promise<number> {
  const files = createSftpFiles({ url, privateKeyFile, hostKeys: { fingerprints: [hostKeyFingerprint] }, log: pino({ level: 'silent' }) })
  try {
    // As a job does before it reads: this logs in, which is ten round trips or so and has nothing to do with the file's length.
    await files.stat('bench', 'products.jsonl')
    const startedAt = performance.now()
    let bytes = 0
    for await (const piece of files.read('bench', 'products.jsonl', { signal: new AbortController().signal })) bytes += (piece as Buffer).length
    return bytes / (performance.now() - startedAt) / 1_000
  } finally {
    await files.close()
  }
}

export async function benchSftpDistance (): Promise<void> {
  const sshd = await createSshd()
  const ways: Way[] = []
  try {
    await sshd.start()
    await writeFile(join(await createIncoming(sshd.root, 'bench'), 'products.jsonl'), randomBytes(megabytes * 1_000_000))
    const near = await over(sshd, 0)
    const far = await over(sshd, roundTripMs / 2)
    ways.push(near, far)
    note(`sftp-distance: ${megabytes} MB, ${rounds} rounds`)
    const measured: Array<{ direct: number, near: number, far: number }> = []
    for (let round = 0; round <= rounds; round++) {
      const figures = {
        direct: await megabytesPerSecond(sshd.url, sshd),
        near: await megabytesPerSecond(near.url, sshd),
        far: await megabytesPerSecond(far.url, sshd)
      }
      // The first round warms up the compiler.
      if (round > 0) measured.push(figures)
    }
    const bench = 'sftp-distance'
    print({ bench, figure: 'loopback', value: median(measured.map(({ direct }) => direct)), unit: 'MB/s' })
    print({ bench, figure: 'loopback through the proxy', value: median(measured.map(({ near }) => near)), unit: 'MB/s' })
    print({ bench, figure: `${roundTripMs} ms round trip`, value: median(measured.map(({ far }) => far)), unit: 'MB/s' })
    print({ bench, figure: 'time over distance', value: median(measured.map(({ near, far }) => near / far)), unit: 'ratio', against: 'loopback through the proxy' })
    print({ bench, figure: 'time over distance, proxy included', value: median(measured.map(({ direct, far }) => direct / far)), unit: 'ratio', against: 'loopback' })
  } finally {
    for (const { end } of ways) end()
    await sshd.close()
  }
}
