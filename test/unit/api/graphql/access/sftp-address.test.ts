import t from 'tap'
import { testApi } from '../../test-api.js'

const query = '{ sftpAddress { host port } }'

t.test('any credential is told where to upload', async (t) => {
  const { keyOf, tokenOf, graphql, send } = await testApi(t, { dependencies: { sftpAddress: { host: 'sftp.example.com', port: 22 } } })
  const told = { sftpAddress: { host: 'sftp.example.com', port: 22 } }
  t.match((await graphql(await keyOf('acme', []), query)).data, told)
  t.match((await send({ authorization: `Bearer ${await tokenOf('ann', [])}` }, query)).data, told)
  t.equal((await graphql(null, query)).errors?.[0]?.extensions.code, 'UNAUTHENTICATED')
})

t.test('a process that does not know it says so', async (t) => {
  const { keyOf, graphql } = await testApi(t)
  t.strictSame((await graphql(await keyOf('acme'), query)).data, { sftpAddress: null })
})
