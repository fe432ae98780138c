import t from 'tap'
import { hasLoginPerVendor, parseSftpUrl } from '../../../src/sources/sftp-url.js'

t.test('a vendor\'s files are in incoming/ below the path', async (t) => {
  const target = parseSftpUrl('sftp://catalog-service@127.0.0.1:2222/{vendorId}')
  t.match(target, { host: '127.0.0.1', port: 2222 })
  t.strictSame(target.locate('acme'), { user: 'catalog-service', incoming: '/acme/incoming' })
  t.notOk(hasLoginPerVendor(target))
})

t.test('the vendor may be in the user, or in neither', async (t) => {
  t.strictSame(parseSftpUrl('sftp://u-{vendorId}@host').locate('acme'), { user: 'u-acme', incoming: '/incoming' })
  t.ok(hasLoginPerVendor(parseSftpUrl('sftp://u-{vendorId}@host')))
  t.strictSame(parseSftpUrl('sftp://u@host/data/').locate('acme'), { user: 'u', incoming: '/data/incoming' })
})

t.test('percent-encoding, IPv6 and the default port', async (t) => {
  const target = parseSftpUrl('sftp://a%40b@[::1]/x%20y/{vendorId}')
  t.match(target, { host: '::1', port: 22 })
  t.strictSame(target.locate('acme'), { user: 'a@b', incoming: '/x y/acme/incoming' })
})

t.test('what is no such URL is refused', async (t) => {
  for (const url of ['', 'http://u@h/', 'sftp://host/', 'sftp://u@/x', 'sftp://u:secret@h/', 'sftp://u@h:0/', 'sftp://u@h:70000/', 'sftp://u@h/a b']) {
    t.throws(() => parseSftpUrl(url), Error, url)
  }
  t.throws(() => parseSftpUrl('sftp://u:secret@h/'), /^((?!secret).)*$/, 'and no password is repeated')
})

t.test('what is no vendor id gets no path', async (t) => {
  const target = parseSftpUrl('sftp://u@h/{vendorId}')
  for (const id of ['', '..', 'a/b', 'A', '.']) t.throws(() => target.locate(id), { kind: 'fatal', code: 'BAD_USER_INPUT' })
})
