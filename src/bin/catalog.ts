#!/usr/bin/env node
/** The command line: `npm run --silent catalog -- ARGS` (spec/operations.md, "Command line"). */
import { createOutput } from '../cli/output.js'
import { runCatalog } from '../cli/program.js'

function interruption (): AbortSignal {
  const controller = new AbortController()
  // Once: a second Ctrl-C ends the process the hard way.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => { controller.abort() })
  return controller.signal
}

// The reader of a pipe may leave early (`catalog validate … | head`): then nobody is left to tell anything.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

process.exitCode = await runCatalog(process.argv.slice(2), {
  env: process.env,
  output: createOutput(process.stdout, process.stderr),
  interruption,
  exitCode: 0
})
