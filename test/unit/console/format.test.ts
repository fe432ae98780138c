import t from 'tap'
import { wordScore } from '../../../src/console/ui/format.js'

t.test('an average on a scale of five keeps its hundredths', async (t) => {
  t.match(wordScore(2.97), /^2\D97$/)
  t.match(wordScore(3), /^3\D00$/)
  t.equal(wordScore(null), '—')
})
