import t from 'tap'
import { parseProperties } from '../../../src/kafka/properties-file.js'

t.test('a name and a value a line, with remarks and empty lines', async (t) => {
  t.strictSame({ ...parseProperties('# ours\r\n\r\nclient.rack = eu-1\nssl.key.password=a=b \n', 'f') }, { 'client.rack': 'eu-1', 'ssl.key.password': 'a=b' })
})

for (const [name, reason] of [
  ['bootstrap.servers', 'KAFKA_BROKERS says that'],
  ['sasl.password', 'KAFKA_SASL_PASSWORD_FILE says that'],
  ['enable.auto.commit', 'offsets are committed when the work is done, and not before'],
  ['auto.commit.interval.ms', 'offsets are committed when the work is done, and not before'],
  ['partition.assignment.strategy', 'the worker takes and gives up partitions in one way alone'],
  ['plugin.library.paths', 'settings load no code and run no programs'],
  ['enable.ssl.certificate.verification', 'anybody could pass for the broker'],
  ['rebalance_cb', 'that is no setting of text']
] as const) {
  t.test(`${name} is refused, and why`, async (t) => {
    t.throws(() => parseProperties(`client.rack=a\n${name}=hunter2`, '/etc/k'), {
      name: 'ConfigError',
      message: `KAFKA_PROPERTIES_FILE must hold librdkafka's settings, but line 2 of /etc/k sets ${name}, which cannot be set here: ${reason}; one that works is socket.keepalive.enable=true`
    })
  })
}

for (const [what, line] of [['no name=value', 'hunter2'], ['a name twice', 'client.rack=hunter2\nclient.rack=hunter2'], ['a name that is none', 'a b=hunter2']] as const) {
  t.test(`${what} is refused without the text of the line`, async (t) => {
    const error = t.throws(() => parseProperties(line, 'f')) as unknown as Error
    t.match(error.message, /^KAFKA_PROPERTIES_FILE .* line \d of f /)
    t.notMatch(error.message, 'hunter2')
  })
}

t.test('a setting called __proto__ is nothing but a setting', async (t) => {
  const properties = parseProperties('__proto__=x', 'f')
  t.equal(Object.getPrototypeOf(properties), null)
  t.equal(Object.keys(properties).length, 1)
})
