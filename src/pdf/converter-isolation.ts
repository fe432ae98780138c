/**
 * What the converter program can reach, should a PDF take it over. The strictest of these that this system allows is found by trying
 * it out, once, at the start:
 *
 * - `namespaces`: no network, no other process, and of all files only those that it is made of, to read. Two user namespaces, by
 *   util-linux's `unshare`: the outer one may mount, and builds a root of nothing but these files; the inner one, in which the
 *   converter runs as nobody, has no capability in the outer one. So it can neither mount nor leave the root, and the kernel makes
 *   no further user namespace for a process in a changed root.
 * - `permissions`: Node's permission model alone. It keeps JavaScript from other files, processes and threads, but whoever has broken out
 *   of V8 goes round it, and before Node 25 it leaves the network open.
 * - `nothing`, where not even that works.
 *
 * Containers as they usually run forbid namespaces to those inside; the network policy is what holds there.
 */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export interface ConverterIsolation {
  by: 'namespaces' | 'permissions' | 'nothing'
  /** Absolute paths of files and folders that the converter reads. */
  files: readonly string[]
  /** Why it is not stricter; empty when it is the strictest. */
  reasons: readonly string[]
}

export interface IsolationOptions {
  /** For tests of systems without it. */
  unshare?: string
}

const run = promisify(execFile)
/** Takes half a second. A machine that is busy when the worker starts must not cost it its guard. */
const probeTimeoutMs = 60_000
const require = createRequire(import.meta.url)
const fileBeside = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

export const converterProgram = fileURLToPath(new URL('./converter.js', import.meta.url))
const librariesProgram = fileURLToPath(new URL('./converter-libraries.js', import.meta.url))

/** Parsed without a fault, and refused for having no text: the library works. */
const blankPage = '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n' +
  '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF'
const blankAnswer = '{"refused":"no-text"}'

/** Never rejects: what cannot be found out is a reason. */
export async function findConverterIsolation ({ unshare = 'unshare' }: IsolationOptions = {}): Promise<ConverterIsolation> {
  const reasons: string[] = []
  try {
    const modules = modulePaths()
    const namespaces = { by: 'namespaces' as const, files: [process.execPath, ...await libraries(), ...modules], reasons }
    for (const isolation of [namespaces, { by: 'permissions' as const, files: modules, reasons }]) {
      const fault = await faultOf(isolation, unshare)
      if (fault === null) return isolation
      reasons.push(`${isolation.by}: ${fault}`)
    }
  } catch (error) {
    reasons.push(String(error))
  }
  return { by: 'nothing', files: [], reasons }
}

/** The command, for a shell's `exec "$@"`, that runs a program of Node under this isolation. */
export function isolatedCommand ({ by, files }: ConverterIsolation, flags: readonly string[], program: string, unshare = 'unshare'): string[] {
  const node = [process.execPath, ...flags, ...by === 'nothing' ? [] : permissionFlags(files), program]
  if (by !== 'namespaces') return node
  return [unshare, '--user', '--map-root-user', '--net', '--mount', '--pid', '--ipc', '--kill-child', '--', '/bin/sh', '-c', enterRoot, 'sh', ...files, '--', ...node]
}

/**
 * Makes a root of the files up to `--` and runs what follows in it. It is mounted over /sys: a folder that every Linux has, and that
 * no file of ours lies in. /proc has to stay in sight until the inner namespace is mapped. Flags of a mount that an outer namespace has set
 * may be added to, not taken away, so nosuid and nodev are always named. The shell stays as the first process, and tells as its status how
 * the converter ended: as a first process itself, the converter would be deaf to signals, and `unshare` cannot hand on that it was killed.
 */
const enterRoot = `set -eu
root=/sys
mount -t tmpfs -o nosuid,nodev,size=1m tmpfs "$root"
while [ "$1" != -- ]; do
  if [ -d "$1" ]; then mkdir -p "$root$1"; else mkdir -p "$root\${1%/*}"; : > "$root$1"; fi
  mount -o bind,ro,nosuid,nodev "$1" "$root$1"
  shift
done
shift
mount -o remount,ro,nosuid,nodev "$root"
status=0
unshare --user --map-user=65534 --root="$root" --wd=/ -- "$@" || status=$?
exit "$status"`

function permissionFlags (files: readonly string[]): string[] {
  const permission = process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission'
  return [permission, ...files.map((path) => `--allow-fs-read=${path}`)]
}

/** null: a blank page comes back as such. */
async function faultOf (isolation: ConverterIsolation, unshare: string): Promise<string | null> {
  try {
    // The converter is a grandchild then, and its memory is bounded by who can see it.
    if (isolation.by === 'namespaces') await readFile(childrenFile(process.pid))
    const running = run('/bin/sh', ['-c', 'exec "$@"', 'sh', ...isolatedCommand(isolation, [], converterProgram, unshare)], { env: {}, cwd: '/', timeout: probeTimeoutMs, killSignal: 'SIGKILL' })
    running.child.stdin?.on('error', () => { /* it has ended before it read; how says more */ }).end(blankPage)
    const { stdout } = await running
    return stdout === blankAnswer ? null : `it answered ${JSON.stringify(stdout.slice(0, 100))}`
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string }
    // Node ends with its version, and names the error before its stack.
    const lines = stderr.trim().split('\n')
    return (lines.find((line) => line.includes('Error')) ?? lines.at(-1))?.slice(0, 200) || message
  }
}

/** What is imported: our own modules, whose type the project's package.json says, and the library. */
function modulePaths (): string[] {
  return [packageManifest(), fileBeside('.'), fileBeside('../domain'), dirname(dirname(require.resolve('@embedpdf/pdfium')))]
}

const packageManifest = (): string => fileBeside('../../../package.json')

/** Of Node, as the loader has found them. */
async function libraries (): Promise<string[]> {
  const { stdout } = await run(process.execPath, [librariesProgram], { env: {}, cwd: '/', timeout: probeTimeoutMs, killSignal: 'SIGKILL' })
  return JSON.parse(stdout) as string[]
}

/** Of a process, on Linux: the ids of those that its first thread has started, a blank after each. */
export const childrenFile = (pid: number): string => `/proc/${pid}/task/${pid}/children`
