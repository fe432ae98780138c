/**
 * A worker to be killed: `hint-worker.js TOPIC COUNT` deals with the first COUNT hints and never with the others. It prints
 * the job id of each hint that it gets. It ends with its standard input, so never later than the test.
 */
import { createHintConsumer } from '../../src/jobs/kafka-consumer.js'
import { kafkaOfServices } from '../support/kafka.js'
import { silent } from '../support/log.js'

const [topic = '', count = '0'] = process.argv.slice(2)
let received = 0

createHintConsumer({
  kafka: await kafkaOfServices(),
  topic,
  groupId: topic,
  handle: async ({ jobId }) => {
    received += 1
    const mine = received <= Number(count)
    process.stdout.write(`${jobId}\n`)
    if (!mine) await new Promise<never>(() => {})
  },
  log: silent
})

process.stdin.resume().once('end', () => { process.exit() })
