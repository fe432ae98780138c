/** `catalog doctor`: tries everything that is configured, within a minute, and says what is fine, slow or missing, with the line that mends it. */
import type { Command } from 'commander'
import pino from 'pino'
import { loadConfig, type Config } from '../config.js'
import { ConfigError } from '../environment.js'
import { exitCodes } from './cli-error.js'
import type { CliContext } from './context.js'
import { examine, fail, ok, type Area, type Finding } from './doctor/check.js'
import { converterArea } from './doctor/converter.js'
import { diskArea } from './doctor/disk.js'
import { openDoctorParts, type DoctorParts } from './doctor/parts.js'
import { reportLines } from './doctor/report.js'
import { runtimeArea } from './doctor/runtime.js'
import { readSecrets, withoutSecrets } from './doctor/secrets.js'

interface Options { json?: true }

export function addDoctor (program: Command, context: CliContext): void {
  program.command('doctor')
    .description('tries everything that is configured: what is fine, slow or missing, and the line that mends it')
    .option('--json', 'print one JSON object: {"checks": [{"name", "status": "ok"|"warn"|"fail", "detail", "fix"}]}')
    .addHelpText('after', '\nIt changes nothing that lasts, and may run beside a service. Exit codes: 0 all is fine, 3 it works, with warnings, 1 something does not work.')
    .action(async ({ json }: Options) => {
      const { env, output } = context
      const secrets = await readSecrets(env)
      const findings = (await diagnose(env)).map((finding) => ({
        ...finding, detail: withoutSecrets(finding.detail, secrets), fix: finding.fix === null ? null : withoutSecrets(finding.fix, secrets)
      }))
      const has = (wanted: Finding['status']): boolean => findings.some(({ status }) => status === wanted)
      context.exitCode = has('fail') ? exitCodes.failed : has('warn') ? exitCodes.withWarnings : exitCodes.done
      if (json) return output.json({ checks: findings })
      for (const line of reportLines(findings, output.stdout, env)) output.print(line)
    })
}

/**
 * What is tried side by side, and within that one after the other: the converter takes a processor, and what an SFTP server gives is measured after it. The
 * limits of none add up to more than a minute.
 */
export async function doctorAreas (parts: DoctorParts): Promise<Area[][]> {
  // Loaded when needed: the drivers are most of the start-up time of every other command.
  const [{ mongodbArea }, { kafkaArea }, { sftpArea }] = await Promise.all([import('./doctor/mongodb.js'), import('./doctor/kafka.js'), import('./doctor/sftp.js')])
  return [[runtimeArea(parts.config), diskArea(parts.config)], [mongodbArea(parts)], [kafkaArea(parts)], [converterArea(parts.log), sftpArea(parts)]]
}

async function diagnose (env: NodeJS.ProcessEnv): Promise<Finding[]> {
  let config: Config
  try {
    config = loadConfig(env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [{ name: 'configuration', ...fail(error.message, 'docs/operations.md, "Configuration", has every variable') }]
  }
  const parts = openDoctorParts(config, pino({ level: 'silent' }))
  try {
    const findings = await Promise.all((await doctorAreas(parts)).map(async (areas) => {
      const found: Finding[] = []
      for (const area of areas) found.push(...await examine(area))
      return found
    }))
    return [{ name: 'configuration', ...ok(`every variable is well-formed; roles ${[...config.roles].join(', ')}`) }, ...findings.flat()]
  } finally {
    await parts.close()
  }
}
