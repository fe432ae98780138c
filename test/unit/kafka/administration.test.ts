/** That Kafka takes these lines is what test/services/kafka-secured looks at. */
import t from 'tap'
import { createAdministration } from '../../../src/kafka/administration.js'

t.test('the lines name brokers, principal, topics and groups', async (t) => {
  const lines = createAdministration({ brokers: 'a:1,b:2', principal: 'User:catalog' })
  const server = '--bootstrap-server a:1,b:2 --command-config admin.properties'
  t.equal(lines.createTopic('x'), `kafka-topics ${server} --create --if-not-exists --topic x --partitions 64`)
  t.equal(lines.alterTopic('x', 128), `kafka-topics ${server} --alter --topic x --partitions 128`)
  t.equal(lines.allowWriting(['x', 'y']), `kafka-acls ${server} --add --allow-principal User:catalog --operation Write --topic x --topic y`)
  t.equal(lines.allowReading(['x']), `kafka-acls ${server} --add --allow-principal User:catalog --operation Read --topic x --group x`)
})

t.test('a certificate\'s subject is quoted for the shell', async (t) => {
  t.match(createAdministration({ brokers: 'a:1', principal: 'User:CN=it\'s,O=A B' }).allowWriting(['x']), '--allow-principal \'User:CN=it\'\\\'\'s,O=A B\' --operation')
})
