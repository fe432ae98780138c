/** `npm run certify`, as a person runs it after a build. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../services/certify.js', import.meta.url))
/** What tests are told of servers is none of its business. */
const inherited = ['PATH', 'HOME', 'TMPDIR', 'XDG_CACHE_HOME', 'LD_LIBRARY_PATH', 'EMBEDDED_MONGO']

export interface CertifyRun { exitCode: number | null, stdout: string, stderr: string }

/** `interruptAt`: SIGINT, once, as soon as this stands on stderr. */
export async function runCertify (args: readonly string[], { env = {}, interruptAt }: { env?: NodeJS.ProcessEnv, interruptAt?: string } = {}): Promise<CertifyRun> {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...Object.fromEntries(inherited.map((name) => [name, process.env[name]])), ...env }, stdio: ['ignore', 'pipe', 'pipe']
  })
  let [stdout, stderr, isInterrupted] = ['', '', false]
  child.stdout.on('data', (piece: Buffer) => { stdout += String(piece) })
  child.stderr.on('data', (piece: Buffer) => {
    stderr += String(piece)
    if (interruptAt !== undefined && !isInterrupted && stderr.includes(interruptAt)) isInterrupted = child.kill('SIGINT')
  })
  const exitCode = await new Promise<number | null>((resolve, reject) => { child.once('error', reject).once('close', resolve) })
  return { exitCode, stdout, stderr }
}
