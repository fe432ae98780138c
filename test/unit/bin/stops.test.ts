import t from 'tap'
import { createStops } from '../../../src/bin/stops.js'
import { createGate } from '../../support/eventually.js'
import { recordingLog, silent } from '../../support/log.js'

t.test('what drains begins at once, side by side, and what it is built upon is stopped after it, the last first', async (t) => {
  const { onDrain, onStop, run } = createStops(silent)
  const told: string[] = []
  const api = createGate()
  onStop(async () => { told.push('database') })
  onStop(async () => { told.push('queue') })
  onDrain(async () => { told.push('worker') })
  onStop(async () => { told.push('threads') })
  onDrain(async () => {
    told.push('api')
    await api.passed
  })
  const running = run()
  t.strictSame(told, ['worker', 'api'], 'one that does not end keeps no other from beginning')
  api.open()
  await running
  t.strictSame(told, ['worker', 'api', 'threads', 'queue', 'database'])
})

t.test('one that fails keeps no other from being stopped, and is told of', async (t) => {
  const recording = recordingLog()
  const { onDrain, onStop, run } = createStops(recording.log)
  const told: string[] = []
  onStop(async () => { told.push('first') })
  onStop(async () => { throw new Error('second') }, async () => { told.push('beside the second') })
  onDrain(async () => { throw new Error('drains') })
  await run()
  t.strictSame(told, ['beside the second', 'first'])
  t.strictSame(recording.entries.map(({ err }) => (err as Error).message), ['drains', 'second'])
})
