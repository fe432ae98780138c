/** Prometheus and promtool as Debian packages them, unpacked into the cache: installing them would start a server. */
import { execFile } from 'node:child_process'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startGuardedChild, type GuardedChild } from '../../../src/embedded/guarded-child.js'
import { findOnPath } from '../../../src/embedded/search-path.js'
import { cached } from './cache.js'
import { freePort } from './free-port.js'
import { untilListening } from './until-listening.js'

export interface PrometheusPrograms { prometheus: string, promtool: string }

const run = promisify(execFile)

export async function prometheusPrograms (): Promise<PrometheusPrograms> {
  const [prometheus, promtool] = await Promise.all(['prometheus', 'promtool'].map(async (name) => await findOnPath(name, process.env)))
  if (prometheus !== undefined && promtool !== undefined) return { prometheus, promtool }
  const folder = await cached('prometheus-debian', async (folder) => {
    const aptGet = await findOnPath('apt-get', process.env)
    if (aptGet === undefined) throw new Error('There is no prometheus, and no apt-get to fetch it with: put prometheus and promtool on the PATH')
    const download = async (): Promise<void> => { await run(aptGet, ['download', 'prometheus'], { cwd: folder }) }
    await download().catch(async () => {
      await run(aptGet, ['update'])
      await download()
    })
    const archive = (await readdir(folder)).find((name) => name.endsWith('.deb')) ?? ''
    await run('dpkg-deb', ['--extract', join(folder, archive), folder])
  })
  return { prometheus: join(folder, 'usr/bin/prometheus'), promtool: join(folder, 'usr/bin/promtool') }
}

export interface Prometheus { url: string, stop: GuardedChild['stop'] }

/** Scrapes `target` (`host:port`) every second, under each of the jobs. */
export async function startPrometheus (folder: string, { target, jobs, ruleFile }: { target: string, jobs: readonly string[], ruleFile: string }): Promise<Prometheus> {
  const { prometheus } = await prometheusPrograms()
  const port = await freePort()
  const config = join(folder, 'prometheus.json')
  // JSON is YAML.
  await writeFile(config, JSON.stringify({
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [ruleFile],
    scrape_configs: jobs.map((job) => ({ job_name: job, static_configs: [{ targets: [target] }] }))
  }))
  const child = await startGuardedChild({
    command: prometheus,
    args: [`--config.file=${config}`, `--storage.tsdb.path=${join(folder, 'data')}`, `--web.listen-address=127.0.0.1:${port}`],
    env: process.env,
    cwd: folder,
    logPath: join(folder, 'prometheus.log'),
    graceSeconds: 10
  })
  await untilListening(child, port, 'Prometheus')
  return { url: `http://127.0.0.1:${port}`, stop: child.stop }
}
