/** The Go toolchain, with which programs are built that are published as Go modules. */
import { delimiter, join } from 'node:path'
import { findOnPath } from '../../../src/embedded/search-path.js'
import { runCommand } from './run-command.js'

/** In the folder, where programs are put that are installed. What it fetches is checked against Go's database of checksums. Rejects with what to install where Go is missing. */
export async function go (folder: string, what: string, args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<void> {
  // Go's own packages put it where a shell that is not a login shell does not look.
  const env = { ...process.env, PATH: [process.env['PATH'] ?? '', '/usr/local/go/bin'].join(delimiter) }
  const command = await findOnPath('go', env)
  if (command === undefined) throw new Error('Some tests need programs in Go: put go on the PATH (Debian: apt-get install golang-go)')
  await runCommand({
    what,
    command,
    args,
    cwd: folder,
    logPath: join(folder, 'go.log'),
    timeoutMs: 20 * 60_000,
    // -modcacherw: or the folder could not be removed.
    env: { ...env, GOBIN: folder, GOFLAGS: '-modcacherw -trimpath', CGO_ENABLED: '0', ...more }
  })
}
