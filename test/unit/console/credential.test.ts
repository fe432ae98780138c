import t from 'tap'
import { headersOf, tidyCredential } from '../../../src/console/api/credential.js'

t.test('an integration key goes in its own header, what is a person\'s as a bearer token', async (t) => {
  t.strictSame(headersOf('svc_abc', null), { 'x-vendor-api-key': 'svc_abc' })
  t.strictSame(headersOf('svc_u_abc', 'acme'), { authorization: 'Bearer svc_u_abc', 'x-vendor-id': 'acme' })
  t.strictSame(headersOf('eyJ.eyJ.x', null), { authorization: 'Bearer eyJ.eyJ.x' })
})

t.test('what is pasted is tidied; what could not go into a header is refused', async (t) => {
  t.equal(tidyCredential('  Bearer svc_u_12345\n'), 'svc_u_12345')
  t.equal(tidyCredential('svc_12345\r\nx-evil: 1'), null)
  t.equal(tidyCredential('sch\u00fcssel-1234'), null)
})
