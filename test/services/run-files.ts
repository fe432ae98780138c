/** What run.ts starts beside the real parts: the test files that it names, one at a time. */
import { spawnFiles } from '../support/spawn-files.js'

const [timeoutSeconds, ...files] = process.argv.slice(2)
await spawnFiles(files, { jobs: 1, timeoutSeconds: Number(timeoutSeconds) })
