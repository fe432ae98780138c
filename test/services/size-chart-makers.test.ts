/** The charts of test/fixtures/drawn-size-charts/ drawn anew by the programs that merchants draw theirs with, which PyPI has. */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { findPython } from '../../src/embedded/find-python.js'
import { chartMakers, scoresOf } from '../support/drawn-size-charts.js'
import { cached } from './parts/cache.js'
import { runCommand } from './parts/run-command.js'
import { temporaryFolder } from './parts/temporary-folder.js'

/** Named after what is in it: another requirements.txt needs another name. */
const environment = 'size-chart-makers-1'

async function install (folder: string): Promise<void> {
  const python = await findPython(process.env)
  if (python === undefined) throw new Error('There is no Python 3.10 to 3.13 with its venv module: install python3 and python3-venv')
  const run = async (what: string, command: string, ...args: string[]): Promise<void> => {
    await runCommand({ what, command, args, cwd: folder, logPath: join(folder, 'install.log'), timeoutMs: 10 * 60_000 })
  }
  // Its programs name their folder, which gets another name afterwards: only its Python is run, which does not.
  await run('making a place for ReportLab and fpdf2', python.command, '-m', 'venv', folder)
  await run('installing ReportLab and fpdf2', join(folder, 'bin', 'python'), '-m', 'pip', 'install', '--quiet', '--requirement', join(chartMakers, 'requirements.txt'))
}

t.test('charts that ReportLab and fpdf2 draw are read as those that were kept', async (t) => {
  const folder = await cached(environment, install)
  const drawn = await temporaryFolder(join(tmpdir(), 'catalog-size-charts-'))
  t.teardown(async () => { await drawn.remove() })
  await runCommand({
    what: 'drawing size charts', command: join(folder, 'bin', 'python'), args: ['-B', join(chartMakers, 'make.py'), drawn.path],
    cwd: drawn.path, logPath: join(drawn.path, 'make.log'), timeoutMs: 5 * 60_000
  })
  t.strictSame((await scoresOf(drawn.path)).faults, [])
})
