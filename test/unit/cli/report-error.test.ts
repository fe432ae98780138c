import { PassThrough } from 'node:stream'
import { CommanderError } from 'commander'
import t from 'tap'
import { CliError, UsageError } from '../../../src/cli/cli-error.js'
import { createOutput } from '../../../src/cli/output.js'
import { reportError } from '../../../src/cli/report-error.js'
import { ConfigError } from '../../../src/environment.js'
import { badInput, conflict, fatal, unavailable } from '../../../src/errors.js'

function report (error: unknown, env: NodeJS.ProcessEnv = {}): { exitCode: number, stderr: string } {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const exitCode = reportError(error, { env, output: createOutput(stdout, stderr) })
  return { exitCode, stderr: String(stderr.read() ?? '') }
}

const cases: Array<[string, unknown, number, string]> = [
  ['a failure', new CliError('no'), 1, 'error: no\n'],
  ['wrong usage', new UsageError('no'), 2, 'error: no\n'],
  ['a wrong environment', new ConfigError('PORT must be'), 2, 'error: PORT must be\n'],
  ['a value that is refused for what it is', badInput('id must be'), 2, 'error: id must be\n'],
  ['a value that is refused for what is there', conflict('exists'), 1, 'error: exists\n'],
  ['a dependency that is away', unavailable('away', new Error('inside')), 1, 'error: away\n'],
  ['an unreadable file', fatal('a.gz is corrupt'), 1, 'error: a.gz is corrupt\n'],
  ['commander\'s own errors, which it has told', new CommanderError(1, 'commander.unknownOption', 'x'), 2, ''],
  ['help', new CommanderError(0, 'commander.helpDisplayed', 'x'), 0, ''],
  ['anything else', new TypeError('x is not a function'), 1, 'error: unexpected failure: x is not a function (LOG_LEVEL=debug tells more)\n'],
  ['what is no error at all', 'thrown text', 1, 'error: unexpected failure: thrown text (LOG_LEVEL=debug tells more)\n']
]
for (const [what, error, exitCode, stderr] of cases) {
  t.test(`${what} ends with ${exitCode}`, async (t) => {
    t.same(report(error), { exitCode, stderr })
  })
}

t.test('with LOG_LEVEL=debug the stack is in the log', async (t) => {
  const { stderr } = report(new TypeError('x'), { LOG_LEVEL: 'debug' })
  const [log = '', line] = stderr.split('\n')
  t.match((JSON.parse(log) as { err: { stack: string } }).err.stack, /report-error/)
  t.equal(line, 'error: unexpected failure: x')
})
