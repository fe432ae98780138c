import t from 'tap'
import { letGo } from '../../../src/threads/let-go.js'

t.test('the memory of what was let go of is free at once, before V8 collects any', (t) => {
  const buffers = Array.from({ length: 20 }, () => new ArrayBuffer(1_000_000))
  const { arrayBuffers: before } = process.memoryUsage()
  letGo(buffers)
  t.strictSame(buffers.map(({ byteLength }) => byteLength), buffers.map(() => 0))
  t.ok(process.memoryUsage().arrayBuffers <= before - 20_000_000)
  t.end()
})
