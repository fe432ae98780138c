/** `npm run demo [-- --analytics] [-- --stay]`: everything in this one process, on free ports and a folder of its own (spec/operations.md, "Commands"). */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { exitCodes } from '../cli/cli-error.js'
import { demoVendorId, runDemo, type DemoService } from '../cli/demo.js'
import { runAnalyticsDemo } from '../cli/demo-analytics.js'
import { createOutput } from '../cli/output.js'
import { reportError } from '../cli/report-error.js'
import { createScreen } from '../cli/screen.js'
import { loadConfig } from '../config.js'
import { openDatabase } from '../store/database/connection.js'
import { createRepositories } from '../store/repositories.js'
import { startService } from './service.js'

const products = 20_000
const badLineEvery = 2_000
/** With --analytics. */
const conversations = 20_000

const output = createOutput(process.stdout, process.stderr)
const screen = createScreen(process.stdout, process.env)
const interruption = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => { interruption.abort() })

const folder = await mkdtemp(join(tmpdir(), 'catalog-demo-'))
const logFile = join(folder, 'service.log')
const closers: Array<() => Promise<void>> = []
/** With --stay. */
let consoleLink = ''

async function start (): Promise<DemoService> {
  // Of the environment only what says which embedded database: a demo must never meet somebody's real one.
  const { EMBEDDED_MONGO } = process.env
  const config = loadConfig({ DATA_DIR: join(folder, 'data'), PORT: '0', SFTP_PORT: '0', ...(EMBEDDED_MONGO === undefined ? {} : { EMBEDDED_MONGO }) })
  const service = await startService(config, pino({ level: 'info' }, pino.destination({ dest: logFile, sync: true })))
  closers.push(async () => { await service.close() })
  consoleLink = service.consoleLink
  const database = openDatabase(service.mongodbUrl, { appName: 'catalog-demo', maxPoolSize: 2 })
  closers.push(async () => { await database.close() })
  return { url: service.url, sftp: service.sftp, repositories: createRepositories(database) }
}

async function demo (): Promise<void> {
  screen.heading('Merchant catalog: the main job, on embedded parts only')
  try {
    const { signal } = interruption
    const service = await runDemo({ folder, screen, signal, products, badLineEvery }, start)
    if (process.argv.includes('--analytics')) await runAnalyticsDemo({ folder, screen, signal, conversations, vendorId: demoVendorId }, service)
    if (process.argv.includes('--stay')) await stay()
  } finally {
    screen.doing('stopping')
    for (const close of closers.reverse()) await close()
  }
}

/** Until it is interrupted, which is no failure then. */
async function stay (): Promise<void> {
  screen.done('console', consoleLink)
  screen.detail('The link signs in once, within ten minutes. Everything stays until you press Ctrl-C.')
  if (!interruption.signal.aborted) await once(interruption.signal, 'abort')
}

try {
  await demo()
  await rm(folder, { recursive: true, force: true })
  screen.done('all checked', 'every number above is what the sample files hold; everything is stopped and removed')
  screen.blank()
  screen.detail('Go on:  npm start                           the service, on ./data')
  screen.detail('        npm run --silent catalog -- --help  vendors, keys, push, validate')
  screen.detail('        README.md                           a merchant\'s first import, step by step')
} catch (error) {
  if (interruption.signal.aborted) {
    await rm(folder, { recursive: true, force: true })
    screen.failed('interrupted; everything is stopped and removed')
    process.exitCode = exitCodes.failed
  } else {
    screen.failed('the demo failed')
    process.exitCode = reportError(error, { env: process.env, output })
    output.note(`The service's log and data are kept in ${folder}`)
  }
}
