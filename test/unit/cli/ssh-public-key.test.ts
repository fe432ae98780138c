import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parseSshPublicKey } from '../../../src/cli/ssh-public-key.js'
import { generateEd25519KeyPair } from '../../../src/sftp/key-pair.js'
import { testFolder } from '../../support/test-folder.js'

const blob = (type: string, bytes: Buffer): string => {
  const lengthOf = (count: number): Buffer => Buffer.from([0, 0, 0, count])
  return Buffer.concat([lengthOf(type.length), Buffer.from(type), lengthOf(bytes.length), bytes]).toString('base64')
}
const good = blob('ssh-ed25519', Buffer.alloc(32, 7))

t.test('a key is taken apart', async (t) => {
  t.match(parseSshPublicKey(`ssh-ed25519 ${good} ada@example.com\n`, 'key.pub'), {
    publicKey: `ssh-ed25519 ${good}`, comment: 'ada@example.com', fingerprint: /^SHA256:[A-Za-z0-9+/]{43}$/
  })
  t.equal(parseSshPublicKey(`ssh-ed25519 ${good}`, 'key.pub').comment, '')
  t.equal(parseSshPublicKey(`ssh-ed25519 ${good} with spaces in it\r\n`, 'key.pub').comment, 'with spaces in it')
})

t.test('the fingerprint is the one that ssh-keygen prints', async (t) => {
  const folder = testFolder(t, { 'key.pub': generateEd25519KeyPair('x').public })
  const file = join(folder, 'key.pub')
  let printed: string
  try {
    printed = execFileSync('ssh-keygen', ['-lf', file], { encoding: 'utf8' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return t.pass('there is no ssh-keygen here', { skip: true })
    throw error
  }
  t.match(printed, parseSshPublicKey(readFileSync(file, 'utf8'), file).fingerprint)
})

t.test('a comment is cut to 255 characters', async (t) => {
  t.equal(parseSshPublicKey(`ssh-ed25519 ${good} ${'c'.repeat(300)}`, 'key.pub').comment.length, 255)
})

t.test('a private key is refused without being repeated', async (t) => {
  const { private: text } = generateEd25519KeyPair('x')
  t.throws(() => parseSshPublicKey(text, 'id'), { message: 'id is a private key: keep it to yourself and give its public half, usually id.pub' })
})

const refused: Array<[string, string, RegExp]> = [
  ['an empty file', '', /is not an OpenSSH public key/],
  ['another kind of file', 'hello', /is not an OpenSSH public key/],
  ['another type', `ssh-rsa ${good}`, /must be an ssh-ed25519 key/],
  ['a security key', `sk-ssh-ed25519@openssh.com ${good}`, /must be an ssh-ed25519 key/],
  ['options before the key', `command="rm" ssh-ed25519 ${good}`, /is not an OpenSSH public key/],
  ['two keys', `ssh-ed25519 ${good}\nssh-ed25519 ${good}\n`, /exactly one public key/],
  ['another type inside', `ssh-ed25519 ${blob('ssh-rsa', Buffer.alloc(32))}`, /is damaged/],
  ['31 bytes of key', `ssh-ed25519 ${blob('ssh-ed25519', Buffer.alloc(31))}`, /is damaged/],
  ['more than the key', `ssh-ed25519 ${Buffer.concat([Buffer.from(good, 'base64'), Buffer.from('x')]).toString('base64')}`, /is damaged/],
  ['base64 with other characters', `ssh-ed25519 ${good.slice(0, 10)}!${good.slice(10)}`, /is damaged/],
  ['base64 without its end', `ssh-ed25519 ${good.slice(0, -2)}`, /is damaged/]
]
for (const [what, text, message] of refused) {
  t.test(`${what} is refused`, async (t) => {
    t.throws(() => parseSshPublicKey(text, 'key.pub'), { message })
  })
}
