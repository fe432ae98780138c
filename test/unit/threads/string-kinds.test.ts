/** Code that reads strings stays compiled for strings, however many kinds of them V8 has. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'

const program = fileURLToPath(new URL('./many-string-kinds.js', import.meta.url))

const compiled = async (...args: string[]): Promise<unknown> => JSON.parse((await promisify(execFile)(process.execPath, [program, ...args])).stdout)

t.test('code that has read strings of all kinds is compiled for strings', async (t) => {
  t.strictSame(await compiled('followed'), { isOptimized: true, isForStrings: true })
})

t.test('V8 by itself gives up on them, or the flag were of no use', async (t) => {
  t.strictSame(await compiled(), { isOptimized: true, isForStrings: false })
})
