/** Runs the command line as a person or a script does: as a process of its own. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { recordedEnvironment } from '../../../support/recorded-environment.js'

const program = fileURLToPath(new URL('../../../../src/bin/catalog.js', import.meta.url))

export interface Run { exitCode: number | null, stdout: string, stderr: string }

export interface RunOptions {
  env?: Record<string, string>
  /** Sends SIGINT, once, as soon as this stands on stderr. */
  interruptAt?: string
}

export async function runCatalog (args: string[], { env, interruptAt }: RunOptions = {}): Promise<Run> {
  const child = spawn(process.execPath, [program, ...args], { env: recordedEnvironment({ PATH: process.env['PATH'] ?? '', ...env }), stdio: ['ignore', 'pipe', 'pipe'] })
  let stdout = ''
  let stderr = ''
  let interrupted = false
  child.stdout.on('data', (piece: Buffer) => { stdout += String(piece) })
  child.stderr.on('data', (piece: Buffer) => {
    stderr += String(piece)
    if (interruptAt !== undefined && !interrupted && stderr.includes(interruptAt)) interrupted = child.kill('SIGINT')
  })
  const exitCode = await new Promise<number | null>((resolve, reject) => { child.once('error', reject).once('close', resolve) })
  return { exitCode, stdout, stderr }
}

/** stdout as the one JSON object that it must be. */
export const jsonOf = ({ stdout }: Run): Record<string, unknown> => {
  if (!/^\{.*\}\n$/.test(stdout)) throw new Error(`not one JSON object on one line: ${stdout}`)
  return JSON.parse(stdout) as Record<string, unknown>
}
