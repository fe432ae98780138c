import { parse } from 'graphql'
import t from 'tap'
import { boundKeptDocuments } from '../../../../../src/api/graphql/limits/kept-documents.js'

const document = (fields: number) => parse(`{ ${Array.from({ length: fields }, (_, n) => `a${n}`).join(' ')} }`)

t.test('documents are forgotten when they may take too much, and counted anew from there', async (t) => {
  let forgotten = 0
  const keep = boundKeptDocuments(() => { forgotten++ }, 100_000)
  const forgottenAfter = Array.from({ length: 10 }, () => {
    keep(document(100))
    return forgotten
  })
  // 102 tokens and 400 characters are some 27 KB.
  t.strictSame(forgottenAfter, [0, 0, 0, 1, 1, 1, 2, 2, 2, 3])
})

t.test('a long text counts, whatever it holds', async (t) => {
  let forgotten = 0
  const keep = boundKeptDocuments(() => { forgotten++ }, 100_000)
  for (let time = 0; time < 2; time++) keep(parse(`{ a(text: "${'x'.repeat(40_000)}") }`))
  t.equal(forgotten, 1)
})

t.test('one that is larger than all may be is forgotten with the next', async (t) => {
  let forgotten = 0
  const keep = boundKeptDocuments(() => { forgotten++ }, 1_000)
  keep(document(100))
  keep(document(1))
  t.equal(forgotten, 2)
})
