import t from 'tap'
import { editDistance } from '../../../src/domain/edit-distance.js'

t.test('a letter wrong, missing, too many or swapped is one', async (t) => {
  for (const [typed, meant] of [['lemp', 'lamp'], ['lmp', 'lamp'], ['laamp', 'lamp'], ['lapm', 'lamp'], ['alamp', 'lamp'], ['amlp', 'lamp']] as const) {
    t.equal(editDistance(typed, meant, 2), typed === 'amlp' ? 2 : 1, typed)
  }
  t.equal(editDistance('lamp', 'lamp', 0), 0)
})

t.test('more than is asked for is null, in whatever part of the words', async (t) => {
  for (const [a, b] of [['lamp', 'tree'], ['abcdefgh', 'abXdYfZh'], ['necklace', 'neck'], ['xxnecklace', 'necklaceyy']] as const) t.equal(editDistance(a, b, 2), null, `${a} ${b}`)
})

t.test('it is the same either way, and as without a bound', async (t) => {
  const letters = ['a', 'b', 'c']
  const words = letters.flatMap((a) => letters.flatMap((b) => letters.flatMap((c) => [a + b, a + b + c, a + b + c + a])))
  for (const a of words) {
    for (const b of words) {
      const distance = editDistance(a, b, 10)
      if (editDistance(b, a, 10) !== distance) t.fail(`${a} ${b}`)
      for (const most of [1, 2]) if (editDistance(a, b, most) !== ((distance ?? 9) <= most ? distance : null)) t.fail(`${a} ${b} ${most}`)
    }
  }
  t.pass(`${words.length ** 2} pairs`)
})
