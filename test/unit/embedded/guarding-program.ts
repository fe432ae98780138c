/**
 * A process that runs a program as its guarded child. At SIGINT it stops the program and tells what that has printed: `up`, and `SIGINT`
 * had it been interrupted, too.
 */
import { join } from 'node:path'
import { startGuardedChild } from '../../../src/embedded/guarded-child.js'

const [, , folder = '', env = '{}'] = process.argv
const child = await startGuardedChild({
  command: '/bin/sh',
  args: ['-c', 'trap "echo SIGINT" INT; trap "exit 0" TERM; echo up; while :; do /bin/sleep 0.05; done'],
  env: JSON.parse(env) as NodeJS.ProcessEnv,
  cwd: folder,
  logPath: join(folder, 'child.log'),
  graceSeconds: 5
})
process.once('SIGINT', () => {
  child.stop()
    .then(async () => await child.lastLines())
    .then((printed) => { console.log(`the program has printed: ${printed.replaceAll('\n', ', ')}`) }, (error: unknown) => { throw error })
})
while (await child.lastLines() !== 'up') await new Promise((resolve) => setTimeout(resolve, 10))
console.log('up')
