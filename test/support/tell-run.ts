/** Says what a test file has said that ran beside others (spawn-files), and ends as it did, once it has. */
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'

const [output = '', ended = ''] = process.argv.slice(2)
const pollMs = 200

async function exitCode (): Promise<number> {
  for (;;) {
    const code = await readFile(ended, 'utf8').catch(() => '')
    if (code !== '') return Number(code)
    await delay(pollMs)
  }
}

const code = await exitCode()
await pipeline(createReadStream(output), process.stdout, { end: false })
process.exitCode = code
