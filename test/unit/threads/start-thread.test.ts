/** The bound on the main thread's young generation is not that of others. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'

const program = fileURLToPath(new URL('./young-generations.js', import.meta.url))

/** V8 of Node 24 takes a few pages of 256 KB more while it copies what is still in use. */
const pagesOverMb = 1

/** What two threads' young generations grow to, in megabytes: the main one's, and that of a thread that may have 24. */
async function youngGenerations (...flags: string[]): Promise<{ main: number, thread: number }> {
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, program])
  return JSON.parse(stdout) as { main: number, thread: number }
}

t.test('a flag for the main thread\'s young generation bounds it, and no other', async (t) => {
  const { main, thread } = await youngGenerations('--max-semi-space-size=1')
  t.ok(main <= 2 + pagesOverMb, `main ${main} MB`)
  t.ok(thread > 4, `thread ${thread} MB`)
})

t.test('a thread has what it is given, with the flag and without', async (t) => {
  const [flagged, unflagged] = [await youngGenerations('--max-semi-space-size=1'), await youngGenerations()]
  t.ok(Math.abs(flagged.thread - unflagged.thread) <= pagesOverMb, `${flagged.thread} and ${unflagged.thread} MB`)
})
