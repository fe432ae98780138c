/** Runs the command line without a process of its own, where the process is not what is tested: twenty times as fast. */
import { PassThrough } from 'node:stream'
import { createOutput } from '../../../../src/cli/output.js'
import { runCatalog } from '../../../../src/cli/program.js'
import type { Run } from './run-catalog.js'

export async function runInProcess (args: string[], env: Record<string, string>): Promise<Run> {
  const written = { stdout: '', stderr: '' }
  const stream = (name: keyof typeof written): PassThrough => {
    const pass = new PassThrough()
    pass.on('data', (piece: Buffer) => { written[name] += String(piece) })
    return pass
  }
  const exitCode = await runCatalog(args, {
    env, output: createOutput(stream('stdout'), stream('stderr')), interruption: () => new AbortController().signal, exitCode: 0
  })
  return { exitCode, ...written }
}
