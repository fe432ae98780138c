/** A process that starts the embedded parts, tells on stdout what it got, and closes when its stdin ends. */
import pino from 'pino'
import { loadConfig } from '../../../src/config.js'
import { startEmbeddedParts } from '../../../src/embedded/embedded-parts.js'

const { mongodb, kafka } = JSON.parse(process.argv[2] ?? '{}') as { mongodb: boolean, kafka: boolean }
const parts = await startEmbeddedParts({
  config: loadConfig(),
  log: pino({ level: 'warn' }, pino.destination(2)),
  parts: { mongodb, kafka, topics: ['catalog.product-imports'] }
})
process.stdin.resume().once('end', () => {
  parts.close().then(() => { process.exitCode = 0 }, (error: unknown) => { throw error })
})
process.stdout.write(`${JSON.stringify(parts)}\n`)
