import pino from 'pino'
import t from 'tap'
import { createBrokerFaults } from '../../../src/kafka/broker-faults.js'

t.test('a fault is told once however often it is met, and again when it comes back', async (t) => {
  const lines: Array<{ level: number, msg: string, was?: string, commands?: string[] }> = []
  const faults = createBrokerFaults(pino({}, { write: (line: string) => { lines.push(JSON.parse(line) as typeof lines[number]) } }))
  faults.check()
  for (let times = 0; times < 3; times++) faults.note('write a', 'not to a', ['do this'])
  t.throws(() => { faults.check() }, { code: 'SERVICE_UNAVAILABLE', message: 'not to a' })
  faults.clear('read a')
  t.equal(faults.find('write a'), 'not to a')
  faults.clear('write a')
  faults.clear('write a')
  faults.check()
  faults.note('write a', 'not to a')
  t.strictSame(lines.map(({ level, msg, was, commands }) => [level, msg, was, commands]), [
    [50, 'not to a', undefined, ['do this']], [30, 'Kafka: mended', 'not to a', undefined], [50, 'not to a', undefined, undefined]
  ])
})
