import t from 'tap'
import { Envelope } from '../../../src/engine/envelope.js'
import { inOrder } from '../../../src/engine/stage.js'
import { adopt, parse } from '../../../src/stages/parse.js'
import { validate } from '../../../src/stages/validate.js'

const textOfValue = async (value: unknown): Promise<string> =>
  (await inOrder(adopt, validate('UPDATE'))([new Envelope<unknown>({ file: 0, line: 1 }, value)]))[0]?.text ?? ''
const textOfLine = async (line: string): Promise<string> =>
  (await inOrder(parse, validate('UPDATE'))([new Envelope({ file: 0, line: 1 }, line)]))[0]?.text ?? ''

t.test('a record that came as a value has its text, so that it can be known again', async (t) => {
  t.equal(await textOfValue({ externalId: 'P', name: 'One' }), '{"externalId":"P","name":"One"}')
})

t.test('one that is rejected has none: it may be as large as a request', async (t) => {
  t.equal(await textOfValue({ externalId: 'P', name: 'x'.repeat(1_000_000) }), '')
})

t.test('a line keeps the text that it came as', async (t) => {
  t.equal(await textOfLine('{"externalId":"P" }'), '{"externalId":"P" }')
})
