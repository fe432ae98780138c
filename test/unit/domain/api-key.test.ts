import t from 'tap'
import { createIntegrationKey, hashKey, isIntegrationKey } from '../../../src/domain/api-key.js'

t.test('a new key is well-formed, and its hash and hint are its own', async (t) => {
  const { key, hash, hint } = createIntegrationKey()
  t.match(key, /^svc_[0-9A-Za-z]{49}$/)
  t.ok(isIntegrationKey(key))
  t.equal(hash, hashKey(key))
  t.match(hash, /^[0-9a-f]{64}$/)
  t.ok(key.endsWith(hint))
  t.equal(hint.length, 4)
})

t.test('no two keys are the same, and none looks like a user key', async (t) => {
  const keys = Array.from({ length: 500 }, () => createIntegrationKey().key)
  t.equal(new Set(keys).size, 500)
  t.notOk(keys.some((key) => key.startsWith('svc_u_')))
})

t.test('every typo of one character is refused', async (t) => {
  const { key } = createIntegrationKey()
  for (let at = 0; at < key.length; at++) {
    const typo = key.slice(0, at) + (key[at] === 'x' ? 'y' : 'x') + key.slice(at + 1)
    t.notOk(isIntegrationKey(typo), typo)
  }
})

t.test('two characters the wrong way round are refused', async (t) => {
  const { key } = createIntegrationKey()
  for (let at = 4; at < key.length - 1; at++) {
    const [a = '', b = ''] = key.slice(at, at + 2)
    if (a !== b) t.notOk(isIntegrationKey(key.slice(0, at) + b + a + key.slice(at + 2)))
  }
})

t.test('anything else is refused', async (t) => {
  const { key } = createIntegrationKey()
  for (const text of ['', 'svc_', key.slice(0, -1), `${key}0`, ` ${key}`, `${key}\n`, key.toUpperCase(), key.slice(4), `svc_u_${key.slice(6)}`]) {
    t.notOk(isIntegrationKey(text), JSON.stringify(text))
  }
})
