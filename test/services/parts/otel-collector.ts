/** OpenTelemetry's own collector: its receiver of OTLP, and a file into which it writes what has come. Built from the modules that it is published as, as their own builder does it. */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startGuardedChild } from '../../../src/embedded/guarded-child.js'
import { spansOf, type CollectedSpan } from '../../support/collector.js'
import { cached } from './cache.js'
import { freePort } from './free-port.js'
import { go } from './go.js'
import { untilListening } from './until-listening.js'

const version = 'v0.140.0'
/** Of the same release: what is stable has a number of its own. */
const stableVersion = 'v1.46.0'
const collector = 'go.opentelemetry.io/collector'
const fileExporter = 'github.com/open-telemetry/opentelemetry-collector-contrib/exporter/fileexporter'
const modules = [`${collector}/otelcol@${version}`, `${collector}/service@${version}`, `${collector}/receiver/otlpreceiver@${version}`, `${collector}/confmap/provider/fileprovider@${stableVersion}`, `${fileExporter}@${version}`]

const program = `package main

import (
  "log"

  "${fileExporter}"
  "${collector}/component"
  "${collector}/confmap"
  "${collector}/confmap/provider/fileprovider"
  "${collector}/exporter"
  "${collector}/otelcol"
  "${collector}/receiver"
  "${collector}/receiver/otlpreceiver"
  "${collector}/service/telemetry/otelconftelemetry"
)

func factories() (otelcol.Factories, error) {
  receivers, err := otelcol.MakeFactoryMap[receiver.Factory](otlpreceiver.NewFactory())
  if err != nil {
    return otelcol.Factories{}, err
  }
  exporters, err := otelcol.MakeFactoryMap[exporter.Factory](fileexporter.NewFactory())
  return otelcol.Factories{Receivers: receivers, Exporters: exporters, Telemetry: otelconftelemetry.NewFactory()}, err
}

func main() {
  command := otelcol.NewCommand(otelcol.CollectorSettings{
    BuildInfo: component.NewDefaultBuildInfo(),
    Factories: factories,
    ConfigProviderSettings: otelcol.ConfigProviderSettings{ResolverSettings: confmap.ResolverSettings{
      ProviderFactories: []confmap.ProviderFactory{fileprovider.NewFactory()},
      DefaultScheme: "file",
    }},
  })
  if err := command.Execute(); err != nil {
    log.Fatal(err)
  }
}
`

/** Some two minutes when it is not there yet. */
async function collectorProgram (): Promise<string> {
  const folder = await cached(`otel-collector-${version}`, async (folder) => {
    // Three hundred megabytes of which nothing is of use afterwards: not into the developer's own modules.
    const own = { GOMODCACHE: join(folder, 'modules'), GOCACHE: join(folder, 'built'), GOTOOLCHAIN: 'local' }
    await writeFile(join(folder, 'main.go'), program)
    await go(folder, 'beginning a module', ['mod', 'init', 'collector'], own)
    const fetch = async (): Promise<void> => { await go(folder, `fetching OpenTelemetry's collector ${version}`, ['get', ...modules], own) }
    // Of two hundred modules one may not come; those that have are kept.
    await fetch().catch(fetch)
    await go(folder, `building OpenTelemetry's collector ${version}`, ['build', '-o', 'otel-collector', '.'], own)
    for (const each of [own.GOMODCACHE, own.GOCACHE]) await rm(each, { recursive: true })
  })
  return join(folder, 'otel-collector')
}

export interface OtelCollector {
  url: string
  /** That it has written. */
  spans (): Promise<CollectedSpan[]>
  /** What it has said of itself. */
  log (): Promise<string>
  stop (): Promise<void>
}

export async function startOtelCollector (folder: string): Promise<OtelCollector> {
  const command = await collectorProgram()
  const port = await freePort()
  const [config, written, logPath] = [join(folder, 'collector.json'), join(folder, 'spans.jsonl'), join(folder, 'collector.log')]
  // JSON is YAML.
  await writeFile(config, JSON.stringify({
    receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } },
    exporters: { file: { path: written, flush_interval: '100ms' } },
    service: { telemetry: { metrics: { level: 'none' } }, pipelines: { traces: { receivers: ['otlp'], exporters: ['file'] } } }
  }))
  const child = await startGuardedChild({ command, args: [`--config=file:${config}`], env: process.env, cwd: folder, logPath, graceSeconds: 10 })
  await untilListening(child, port, 'OpenTelemetry\'s collector')
  return {
    url: `http://127.0.0.1:${port}`,
    async spans () {
      // A line that is being written has no end yet.
      const lines = (await readFile(written, 'utf8')).split('\n').slice(0, -1)
      return lines.flatMap((line) => spansOf(line))
    },
    log: async () => await readFile(logPath, 'utf8'),
    stop: child.stop
  }
}
