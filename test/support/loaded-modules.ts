/** Imported by a process under test before anything else (`--import`), in each of its threads: writes down at the end what was loaded. */
import { appendFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { isMainThread, threadId } from 'node:worker_threads'

const { cache } = createRequire(import.meta.url)

process.on('exit', () => {
  const file = process.env['LOADED_MODULES_FILE'] ?? ''
  appendFileSync(file, `${JSON.stringify({ isMainThread, threadId, entry: process.argv[1], modules: Object.keys(cache) })}\n`)
})
