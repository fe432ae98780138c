/** Keys and hashed names as ssh-keygen of OpenSSH 9.2 wrote them; which line counts for whom is what its `-F` says. */
import t from 'tap'
import { fingerprintOf } from '../../../src/domain/ssh-public-key.js'
import { findKnownKeys } from '../../../src/sources/known-hosts.js'

const ed25519 = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIlCEPqVYlm9DKHeQrint35WhTXFe6PIRknlK9xpGVP/'
const ecdsa = 'ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBJ7YEB7w+adptQpro3U427xCcC5AU6ggszEiTjf7casn9QhWwOkf3FlV81yDDVU2gVcGxCYJKuJEKrKMCjzoPUI='
const rsa = 'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQDho7UpgabuvzvDl2EZ/SjkRj6iypVNZHImmaBn6VO/+3udHMp11C62C9UYTNxz6NUdomkRcRS//a9qDH7Dci/yoqApd2+zmHwte3iz9TW/hkVlli6guq++BfiiY5haCYcW+bYzb2OHk0UIq1MDAZOuze4VSA3YJ50PKFCgxziKOdCwBiNmiWvqqJeEDR3H/58qsfK9pyNlhT29V3OlXcwrO9T3WsNHRLAw4kWsgVIYBv58lMvXqjxPMpvu/8wkkD2bZy61FG2MzMK3rjsVTNdI+yb0aMAZiYZKaTKn5FIaOS97vseZBkjs+1Vqh9LjF8wxfqQ2R3QxCAMn2WOvv77b'
/** As `ssh-keygen -l` prints them. */
const fingerprints = {
  ed25519: 'SHA256:j43O8y4RFSsX9B9UOncdKpajsDEIdpz3vstlQHoapwI',
  ecdsa: 'SHA256:spI9uzpItVEXDs0AgxkCYrDpXzWHPK5/C4LKsaFCfWI',
  rsa: 'SHA256:LZD5PbqHRYOFB3WlB1UTfnEmF/mP2HRFciTWIXXKDpU'
}

const plain = `# what the operator wrote

sftp.example.com,192.0.2.7 ${ed25519}
sftp.example.com ${ecdsa} a comment
[sftp.example.com]:2222 ${rsa}\r
`
/** The same after `ssh-keygen -H`. */
const hashed = `|1|MWnl1c+62WPG1+a50HTJv9orAAo=|azVPC3UmGBFCuYV9mqLK9PKpTGo= ${ed25519}
|1|0J6QUfjrmw2blYu8PkGKSF6ep4I=|adgAT0cRp1L1DgaTnRfVVGfKEw0= ${ed25519}
|1|itZvIGFpPW/lZ14n/6xJZEKyLIk=|kzJPGMPn/9bMeWwthZfwtwUFakQ= ${ecdsa}
|1|8N/w9Sby80x2yoEZpNZ6aYdSog8=|C6m138GQV5LeJE2/Yf6wJzpeBsM= ${rsa}
`

const trusted = (text: string, host = 'sftp.example.com', port = 22): string[] => findKnownKeys(text, host, port).trusted.map(fingerprintOf)

for (const [what, text] of [['plain', plain], ['hashed', hashed]] as const) {
  t.test(`${what} names: all keys of the server, and of no other`, async (t) => {
    t.strictSame(trusted(text), [fingerprints.ed25519, fingerprints.ecdsa])
    t.strictSame(trusted(text, '192.0.2.7'), [fingerprints.ed25519])
    t.strictSame(trusted(text, 'SFTP.Example.COM'), [fingerprints.ed25519, fingerprints.ecdsa])
    for (const other of ['example.com', 'xsftp.example.com', 'sftp.example.com.evil.org', 'sftpXexample.com', '192.0.2.70', '']) {
      t.strictSame(trusted(text, other), [], other)
    }
  })

  t.test(`${what} names: another port is another server`, async (t) => {
    t.strictSame(trusted(text, 'sftp.example.com', 2222), [fingerprints.rsa])
    t.strictSame(trusted(text, 'sftp.example.com', 2223), [])
    t.strictSame(trusted(text, '192.0.2.7', 2222), [])
  })
}

t.test('wildcards stand for any characters, or for one', async (t) => {
  t.strictSame(trusted(`*.example.com ${ed25519}`), [fingerprints.ed25519])
  t.strictSame(trusted(`*.example.com ${ed25519}`, 'example.com'), [])
  t.strictSame(trusted(`sftp?.example.com ${ed25519}`, 'sftp1.example.com'), [fingerprints.ed25519])
  t.strictSame(trusted(`sftp?.example.com ${ed25519}`), [])
  t.strictSame(trusted(`* ${ed25519}`, '::1', 2222), [fingerprints.ed25519])
  t.strictSame(trusted(`[*.example.com]:22?2 ${ed25519}`, 'sftp.example.com', 2222), [fingerprints.ed25519])
})

t.test('a negated name is not accepted by its line, whatever else the line says, but by others', async (t) => {
  const line = `*.example.com,!sftp.example.com ${ed25519}`
  t.strictSame(trusted(line), [])
  t.strictSame(trusted(line, 'other.example.com'), [fingerprints.ed25519])
  t.strictSame(trusted(`!other.example.com ${ed25519}`), [], 'a negation alone names nobody')
  t.strictSame(trusted(`${line}\nsftp.example.com ${ecdsa}`), [fingerprints.ecdsa])
})

t.test('a revoked key is told, for the servers that its line names', async (t) => {
  const text = `@revoked *.example.com ${ed25519}\nsftp.example.com,192.0.2.7 ${ed25519}`
  t.strictSame(findKnownKeys(text, 'sftp.example.com', 22).revoked.map(fingerprintOf), [fingerprints.ed25519])
  t.strictSame(findKnownKeys(text, '192.0.2.7', 22).revoked, [])
})

t.test('the key of a certificate authority is no server\'s key', async (t) => {
  const { trusted, authorities } = findKnownKeys(`@cert-authority *.example.com ${ed25519}`, 'sftp.example.com', 22)
  t.strictSame(trusted, [])
  t.equal(authorities, 1)
})

const unreadable: Array<[what: string, line: string]> = [
  ['without a key', 'sftp.example.com'],
  ['without a host', ed25519],
  ['with a key of another type than it says', ed25519.replace('ssh-ed25519', 'ssh-rsa').replace(/^/, 'sftp.example.com ')],
  ['with something else than a key', 'sftp.example.com ssh-ed25519 not!base64'],
  ['of SSH 1', 'sftp.example.com 1024 35 1234567890'],
  ['with an unknown marker', `@trusted sftp.example.com ${ed25519}`],
  ['with a hash of another kind', `|2|MWnl1c+62WPG1+a50HTJv9orAAo=|azVPC3UmGBFCuYV9mqLK9PKpTGo= ${ed25519}`],
  ['with half a hash', `|1|MWnl1c+62WPG1+a50HTJv9orAAo= ${ed25519}`]
]
for (const [what, line] of unreadable) {
  t.test(`a line ${what} is an error that names it, also when it is about nobody who was asked for`, async (t) => {
    t.throws(() => findKnownKeys(`${plain}${line}\n`, 'another.example.com', 22), { message: 'line 6 holds no host key' })
  })
}
