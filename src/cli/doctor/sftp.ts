/** The SFTP server that files are read from: a login, a list, and a file there and back. */
import { randomBytes, randomUUID } from 'node:crypto'
import { partialUploadName } from '../../domain/partial-upload.js'
import { createSftpFiles, type SftpFiles } from '../../sources/sftp-files.js'
import { hasLoginPerVendor, parseSftpUrl } from '../../sources/sftp-url.js'
import { wordBytes } from '../wording.js'
import { messageOf, ok, warn, type Area, type Outcome } from './check.js'
import type { DoctorParts } from './parts.js'

const loginLimitMs = 8_000
const listLimitMs = 6_000
const throughputLimitMs = 18_000
const reconnect = { budgetMs: 4_000 }
const sampleBytes = 32 * 1024 ** 2
const pieceBytes = 1024 ** 2
/** A file's bytes are read for so long at most. */
const readForMs = 3_000
/** What an import takes of files whose lines it knows. */
const wantedBytesPerSecond = 50e6

export function sftpArea (parts: DoctorParts): Area {
  const { config } = parts
  let files: SftpFiles | undefined
  let address = ''
  const key = config.sftpPrivateKeyFile ?? ''
  return {
    checks: [
      {
        name: 'sftp',
        limitMs: loginLimitMs,
        gate: true,
        fix: 'look whether SFTP_URL names the right host, port and user',
        run: async () => {
          const given = await parts.sftp()
          if (given === undefined) return { ...ok('the built-in server; it begins with the service, role sftp'), ends: true }
          const target = parseSftpUrl(given.url)
          address = `${target.host}:${target.port}`
          files = createSftpFiles({ ...given, log: parts.log, reconnect })
          try {
            await files.ping()
          } catch (error) {
            return loginOutcome(messageOf(error), { host: target.host, port: target.port, key })
          }
          return ok(hasLoginPerVendor(target) ? `${address} listens; each vendor has a login of its own` : `login as ${target.userTemplate} at ${address}, its host key is the one that is trusted`)
        }
      },
      { name: 'sftp list', limitMs: listLimitMs, fix: 'let the user of SFTP_URL read the folders incoming/', run: async () => await listOutcome(files, parts) },
      { name: 'sftp throughput', limitMs: throughputLimitMs, fix: 'let the user of SFTP_URL read the folders incoming/', run: async (signal) => await throughputOutcome(files, parts, signal) }
    ],
    close: async () => { await files?.close() }
  }
}

function loginOutcome (message: string, { host, port, key }: { host: string, port: number, key: string }): Outcome {
  const fix = /host key|has no key for/.test(message)
    ? `compare it with what the server's operator says; then: ssh-keyscan -p ${port} ${host} >> known_hosts, for SFTP_KNOWN_HOSTS_FILE`
    : /does not accept the key/.test(message)
      ? `add the line of ssh-keygen -yf ${key} to authorized_keys of that user`
      : `look whether SFTP_URL names the right host and port, and this machine may reach it: nc -vz ${host} ${port}`
  return { status: 'fail', detail: message, fix }
}

async function listOutcome (files: SftpFiles | undefined, parts: DoctorParts): Promise<Outcome> {
  const vendor = (await parts.vendors())?.one
  if (files === undefined || vendor === undefined) return { ...ok('not tried, nor the throughput: there is no vendor yet'), ends: true }
  const started = performance.now()
  const found = await files.list(vendor)
  return ok(`${found.length} files of ${vendor} in ${Math.round(performance.now() - started)} ms`)
}

async function throughputOutcome (files: SftpFiles | undefined, parts: DoctorParts, signal: AbortSignal): Promise<Outcome> {
  const vendor = (await parts.vendors())?.one
  if (files === undefined || vendor === undefined) throw new Error('there is no vendor')
  const largest = (await files.list(vendor)).sort((a, b) => b.size - a.size)[0]
  if (largest !== undefined && largest.size >= sampleBytes) return rateOutcome(await readRate(files, vendor, largest.name, signal), 'read')
  // No import takes it, the built-in server lets the service write it, and what a doctor that is killed leaves is removed within a day.
  const name = partialUploadName(randomUUID())
  try {
    try {
      await files.append(vendor, name, 0, sample())
    } catch {
      return largest === undefined ? ok('not measured: no file is there, and this user may write none') : rateOutcome(await readRate(files, vendor, largest.name, signal), `read from a file of ${wordBytes(largest.size)}`)
    }
    return rateOutcome(await readRate(files, vendor, name, signal), 'read')
  } finally {
    await files.remove(vendor, name).catch(() => {})
  }
}

function rateOutcome (bytesPerSecond: number, what: string): Outcome {
  const told = `${wordBytes(bytesPerSecond)}/s ${what}`
  return bytesPerSecond < wantedBytesPerSecond
    ? warn(`${told}: an import reads no faster than that`, 'run workers nearer to the server, or give it more processor (docs/performance.md)')
    : ok(told)
}

async function * sample (): AsyncGenerator<Buffer> {
  const piece = randomBytes(pieceBytes)
  for (let sent = 0; sent < sampleBytes; sent += pieceBytes) yield piece
}

/** Bytes a second. */
async function readRate (files: SftpFiles, vendor: string, name: string, signal: AbortSignal): Promise<number> {
  const enough = new AbortController()
  const started = performance.now()
  let bytes = 0
  try {
    for await (const piece of files.read(vendor, name, { signal: AbortSignal.any([signal, enough.signal]) })) {
      bytes += (piece as Buffer).length
      if (performance.now() - started > readForMs) break
    }
  } finally {
    enough.abort()
  }
  return bytes / ((performance.now() - started) / 1_000)
}
