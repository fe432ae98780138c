import t from 'tap'
import { isPublicAddress } from '../../../src/pdf/public-address.js'

const hostile = [
  '127.0.0.1', '127.255.255.254', '0.0.0.0', '0.1.2.3', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.0.1', '169.254.169.254',
  '100.64.0.1', '100.100.100.200', '192.0.0.192', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '224.0.0.1', '240.0.0.1', '255.255.255.255',
  '168.63.129.16', '192.88.99.1',
  '::', '::1', '::7f00:1', '::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:0:127.0.0.1', '64:ff9b::7f00:1', '64:ff9b:1::a00:1', '2002:7f00:1::', '2001::1',
  '100::1', '2001:db8::1', '2001:2::1', '3fff::1', '5f00::1', 'fc00::1', 'fd00:ec2::254', 'fe80::1', 'fec0::1', 'ff02::1', '4000::1',
  '', 'localhost', '127.0.0.1.', '1.2.3.4.5', 'fe80::1%eth0'
]

for (const address of hostile) {
  t.test(`"${address}" is not public`, async (t) => { t.equal(isPublicAddress(address), false) })
}

t.test('addresses of the public internet are public', async (t) => {
  for (const address of ['1.1.1.1', '93.184.216.34', '172.15.0.1', '172.32.0.1', '2606:4700::1111', '2a00:1450:4001::1', '::ffff:8.8.8.8']) {
    t.equal(isPublicAddress(address), true, address)
  }
})
