import fc from 'fast-check'
import t from 'tap'
import { maxSalvagedCharacters, salvageExternalId } from '../../../src/domain/salvage-id.js'

const told: Array<[string, string]> = [
  ['cut off behind it', '{"externalId":"P1","name":"Half a na'],
  ['cut off right behind it', ' { "externalId" : "P1"'],
  ['a byte order mark before it', '\uFEFF{"externalId":"P1","x":'],
  ['other fields before it', '{"name":"a \\" b","tags":["externalId","x"],"n":-1.5e3,"b":true,"variants":[{"externalId":"V1"}],"externalId":"P1","x"x}'],
  ['a comma that is missing before it', '{"name":"a" "externalId":"P1"}'],
  ['a text of that name before it', '{"name":"externalId","externalId":"P1",}'],
  ['more behind the record', '{"externalId":"P1"}{"externalId":"P2"}'],
  ['an escape in it', '{"externalId":"P\\u0031",']
]
for (const [what, text] of told) t.test(`told: ${what}`, async (t) => { t.equal(salvageExternalId(text), 'P1') })

const untold: Array<[string, string]> = [
  ['nothing', ''],
  ['no JSON', 'externalId: P1'],
  ['it is cut off', '{"externalId":"P1'],
  ['it is a variant\'s', '{"variants":[{"externalId":"V1"'],
  ['a quote too many before it', '{"name":"12" wide","variants":[{"externalId":"V1"}],"externalId":"P1"}'],
  ['a quote too few before it', '{"name":"12,"variants":[{"externalId":"V1"}],"externalId":"P1"}'],
  ['a bare word before it', '{"name":x,"externalId":"P1"}'],
  ['a control character before it', '{"name":"a\u0000","externalId":"P1"}'],
  ['it comes twice', '{"externalId":"P1","externalId":"P2","x":'],
  ['it is no text', '{"externalId":5,"x":'],
  ['it is empty', '{"externalId":"","x":'],
  ['it is too long', `{"externalId":"${'x'.repeat(256)}","x":`],
  ['some of its bytes were lost', '{"externalId":"P\uFFFD","x":'],
  ['half a character', '{"externalId":"P\\ud83d","x":'],
  ['it is a list', '[{"externalId":"P1"'],
  ['it comes too late', `{"name":"${'x'.repeat(maxSalvagedCharacters)}","externalId":"P1",`]
]
for (const [what, text] of untold) t.test(`not told: ${what}`, async (t) => { t.equal(salvageExternalId(text), null) })

t.test('one character that is lost, added or another never makes it another product\'s', async () => {
  const record = fc.record({
    name: fc.string(), tags: fc.array(fc.string(), { maxLength: 2 }), externalId: fc.constant('P1'),
    variants: fc.array(fc.record({ externalId: fc.constantFrom('V1', 'V2'), name: fc.string() }), { maxLength: 2 })
  })
  const damage = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), remove: fc.nat(1), put: fc.constantFrom('', '"', ',', '\\', '{', '}', ']', 'x', '\uFFFD') })
  fc.assert(fc.property(record, fc.boolean(), damage, (value, isLast, { at, remove, put }) => {
    const { externalId, ...others } = value
    const text = JSON.stringify(isLast ? { ...others, externalId } : value)
    const id = text.indexOf('"externalId":"P1"') + '"externalId":'.length
    const from = Math.floor(at * text.length)
    // What the id itself became cannot be told from what it was.
    fc.pre(from + remove <= id || from >= id + '"P1"'.length)
    const found = salvageExternalId(text.slice(0, from) + put + text.slice(from + remove))
    return found === null || found === 'P1'
  }), { numRuns: 2_000, seed: 1 })
})
