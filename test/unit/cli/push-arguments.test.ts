import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { UsageError } from '../../../src/cli/cli-error.js'
import { inspectLocalFiles } from '../../../src/cli/local-files.js'
import { parseSftpAddress, wordSftpAddress } from '../../../src/cli/sftp-address.js'
import { readIdentity } from '../../../src/cli/ssh-identity.js'
import { generateEd25519KeyPair } from '../../../src/sftp/key-pair.js'
import { testFolder } from '../../support/test-folder.js'

t.test('an SFTP address is user, host and port', async (t) => {
  t.same(parseSftpAddress('acme@sftp.example.com:2222'), { user: 'acme', host: 'sftp.example.com', port: 2222 })
  t.same(parseSftpAddress('acme@sftp.example.com'), { user: 'acme', host: 'sftp.example.com', port: 22 })
  t.same(parseSftpAddress('acme@[::1]:2222'), { user: 'acme', host: '::1', port: 2222 })
  for (const text of ['acme@[::1]:2222', 'acme@127.0.0.1:22']) t.equal(wordSftpAddress(parseSftpAddress(text)), text)
})

for (const text of ['', 'host:22', '@host', 'acme@', 'acme@host:0', 'acme@host:99999', 'acme@host:ssh', 'acme@::1', 'a b@host', 'sftp://acme@host:22']) {
  t.test(`"${text}" is not an SFTP address`, async (t) => {
    t.throws(() => parseSftpAddress(text), { code: 'commander.invalidArgument' })
  })
}

t.test('local files go by their base names', async (t) => {
  const folder = testFolder(t, { 'products.jsonl.gz': 'abc' })
  const path = join(folder, 'products.jsonl.gz')
  t.same(await inspectLocalFiles([path]), [{ path, name: 'products.jsonl.gz', bytes: 3 }])
})

t.test('a name that the service would refuse is wrong usage', async (t) => {
  await t.rejects(inspectLocalFiles(['products.csv']), { name: 'UsageError', message: /^"products.csv" must be a plain file name/ })
  await t.rejects(inspectLocalFiles(['/a/.hidden.jsonl']), { name: 'UsageError', message: /^".hidden.jsonl" must be/ })
  await t.rejects(inspectLocalFiles(Array.from({ length: 101 }, (_, index) => `${index}.jsonl`)), UsageError)
})

t.test('two files of the same name are wrong usage', async (t) => {
  await t.rejects(inspectLocalFiles(['a/products.jsonl', 'b/products.jsonl']), { name: 'UsageError', message: /Two of the files are called products.jsonl/ })
})

t.test('a file that is missing or a folder is told by its path', async (t) => {
  const folder = testFolder(t, {})
  await t.rejects(inspectLocalFiles([join(folder, 'missing.jsonl')]), { name: 'CliError', message: `${join(folder, 'missing.jsonl')}: no such file` })
  mkdirSync(join(folder, 'folder.jsonl'))
  await t.rejects(inspectLocalFiles([join(folder, 'folder.jsonl')]), { name: 'CliError', message: /not a regular file/ })
})

t.test('an identity is an ed25519 private key without a passphrase', async (t) => {
  const pair = generateEd25519KeyPair('x')
  const folder = testFolder(t, { id: pair.private, 'id.pub': pair.public, other: 'hello' })
  t.equal(await readIdentity(join(folder, 'id')), pair.private)
  await t.rejects(readIdentity(join(folder, 'id.pub')), { message: /is a public key; --identity takes the private one/ })
  await t.rejects(readIdentity(join(folder, 'other')), { message: /is not a private key that can be read/ })
  await t.rejects(readIdentity(join(folder, 'missing')), { message: /no such file/ })
})
