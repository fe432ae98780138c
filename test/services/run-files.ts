/** What certify/run-tests starts: the test files that it names, one at a time. What becomes of each is added to the file that `TEST_RESULTS_FILE` names, a line of JSON each. */
import { appendFileSync } from 'node:fs'
import { spawnFiles } from '../support/spawn-files.js'
import type { FileResult } from './certify/run-tests.js'

const [timeoutSeconds, ...files] = process.argv.slice(2)
const resultsFile = process.env['TEST_RESULTS_FILE']
await spawnFiles(files, {
  jobs: 1,
  timeoutSeconds: Number(timeoutSeconds),
  onResult (file, result, seconds) {
    const failures = result === null ? ['it said nothing'] : result.ok ? [] : result.failures.map(({ name }) => String(name))
    const told: FileResult = { file, seconds, passed: result?.pass ?? 0, failures: result?.ok === false && failures.length === 0 ? ['it did not end well'] : failures }
    if (resultsFile !== undefined) appendFileSync(resultsFile, `${JSON.stringify(told)}\n`)
  }
})
