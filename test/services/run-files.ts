/**
 * What certify/run-tests starts: the test files that it names, in the lanes that `TEST_LANES` has; those behind `--beside` beside these. What becomes of each is added to the file that
 * `TEST_RESULTS_FILE` names, a line of JSON each.
 */
import { appendFileSync } from 'node:fs'
import { spawnFiles } from '../support/spawn-files.js'
import type { FileResult } from './certify/run-tests.js'

const [timeoutSeconds, ...named] = process.argv.slice(2)
const border = named.indexOf('--beside')
const [files, beside] = border === -1 ? [named, []] : [named.slice(0, border), named.slice(border + 1)]
const resultsFile = process.env['TEST_RESULTS_FILE']
await spawnFiles(files, {
  lanes: JSON.parse(process.env['TEST_LANES'] ?? '[{}]') as NodeJS.ProcessEnv[],
  beside,
  timeoutSeconds: Number(timeoutSeconds),
  onResult (file, result, seconds) {
    const failures = result === null ? ['it said nothing'] : result.ok ? [] : result.failures.map(({ name }) => String(name))
    const told: FileResult = { file, seconds, passed: result?.pass ?? 0, failures: result?.ok === false && failures.length === 0 ? ['it did not end well'] : failures }
    if (resultsFile !== undefined) appendFileSync(resultsFile, `${JSON.stringify(told)}\n`)
  }
})
