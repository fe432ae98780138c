import { spawnSync } from 'node:child_process'
import fs, { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createLog } from '../../src/log.js'
import { testFolder } from '../support/test-folder.js'

const fileOf = (t: Test): string => join(testFolder(t), 'log')

const texts = (path: string): unknown[] => readFileSync(path, 'utf8').split('\n').filter((line) => line !== '').map((line) => (JSON.parse(line) as { msg: unknown }).msg)
const turn = async (): Promise<void> => { await new Promise((resolve) => { setImmediate(resolve) }) }

t.test('lines of a turn are written when it is over, in their order', async (t) => {
  const path = fileOf(t)
  const log = createLog({ level: 'info', to: path })
  log.info('one')
  log.child({ a: 1 }).info('two')
  t.strictSame(texts(path), [])
  await turn()
  t.strictSame(texts(path), ['one', 'two'])
  log.info('three')
  await turn()
  t.strictSame(texts(path), ['one', 'two', 'three'])
})

t.test('a warning is written at once, and with it what came before', async (t) => {
  const path = fileOf(t)
  const log = createLog({ level: 'info', to: path })
  log.info('one')
  log.warn('two')
  t.strictSame(texts(path), ['one', 'two'])
  log.child({ a: 1 }).fatal('three')
  t.strictSame(texts(path), ['one', 'two', 'three'])
})

t.test('nothing waits for the disk, where the log is a file', async (t) => {
  const synced = t.capture(fs, 'fsyncSync')
  const log = createLog({ level: 'info', to: fileOf(t) })
  log.info('one')
  log.warn('two')
  log.info('three')
  await turn()
  t.strictSame(synced(), [])
})

t.test('a turn with many lines keeps a bounded part of them', async (t) => {
  const path = fileOf(t)
  const log = createLog({ level: 'info', to: path })
  for (let n = 0; n < 2_000; n++) log.info('x'.repeat(200))
  t.ok(texts(path).length > 1_000)
  await turn()
  t.equal(texts(path).length, 2_000)
})

for (const [how, end] of [['process.exit', 'process.exit(3)'], ['an error that nobody catches', 'throw new Error("x")']] as const) {
  t.test(`nothing is lost by ${how}`, async (t) => {
    const program = `import { createLog } from ${JSON.stringify(new URL('../../src/log.js', import.meta.url).href)}
createLog({ level: 'info' }).info('last')
${end}`
    const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
    t.match(stdout, '"msg":"last"')
    t.not(status, 0)
  })
}
