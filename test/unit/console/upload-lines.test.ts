import t from 'tap'
import { uploadLines } from '../../../src/console/imports/upload-lines.js'

const page = { hostname: 'catalog.example.com', origin: 'https://catalog.example.com' }

t.test('lines name the address that the API tells', async (t) => {
  const { sftp, push } = uploadLines('acme', { host: 'sftp.example.com', port: 2022 }, page)
  t.equal(sftp, "sftp -P 2022 acme@sftp.example.com <<< 'put products-full.jsonl.gz incoming/'")
  t.equal(push, `catalog push products-full.jsonl.gz --mode REPLACE \\
  --url https://catalog.example.com --key "$KEY" \\
  --sftp acme@sftp.example.com:2022 --identity ~/.ssh/id_ed25519`)
})

t.test('without a host it is the console\'s own', async (t) => {
  t.match(uploadLines('acme', { host: null, port: 2222 }, page).sftp, 'sftp -P 2222 acme@catalog.example.com ')
  t.match(uploadLines('acme', { host: null, port: 2222 }, { hostname: '[::1]', origin: 'http://[::1]:4000' }).push, '--sftp acme@[::1]:2222 ')
})

t.test('an IPv6 address stands in brackets', async (t) => {
  const { sftp, push } = uploadLines('acme', { host: '2001:db8::1', port: 22 }, page)
  t.match(sftp, 'acme@[2001:db8::1] ')
  t.match(push, 'acme@[2001:db8::1]:22 ')
})

t.test('one that is not known is left to the reader', async (t) => {
  const { sftp, push } = uploadLines('acme', null, page)
  t.match(sftp, 'sftp acme@YOUR-SFTP-HOST ')
  t.match(push, '--sftp acme@YOUR-SFTP-HOST --identity')
})
