/** Tests have databases of their own on somebody's server: the login is still looked up where it was. */
import t from 'tap'
import { withAuthSource } from '../../services/certify/own-places.js'

for (const [url, expected] of [
  ['mongodb://ada:pw@a,b:27018/catalog', 'mongodb://ada:pw@a,b:27018/catalog?authSource=catalog'],
  ['mongodb://ada:pw@a/catalog?replicaSet=rs0', 'mongodb://ada:pw@a/catalog?replicaSet=rs0&authSource=catalog'],
  ['mongodb://ada:pw@a/catalog?authSource=admin', null],
  ['mongodb://ada:pw@a/catalog?tls=true&authsource=admin', null],
  ['mongodb://ada:pw@a/?replicaSet=rs0', null],
  ['mongodb://a/catalog', null],
  ['mongodb://a/catalog?tls=true&authMechanism=MONGODB-X509', null],
  ['mongodb+srv://ada:pw@a.example.com/catalog', null]
] as const) {
  t.test(`${url} ${expected === null ? 'stays as it is' : 'says where'}`, async (t) => { t.equal(withAuthSource(url), expected ?? url) })
}
