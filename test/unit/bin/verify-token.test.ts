import t from 'tap'
import { createVerifyToken } from '../../../src/bin/verify-token.js'
import { loadConfig } from '../../../src/config.js'
import { recordingLog } from '../../support/log.js'

async function warningsOf (env: NodeJS.ProcessEnv): Promise<unknown[]> {
  const { log, entries } = recordingLog()
  await createVerifyToken(loadConfig({ AUTH_JWT_SECRET: 'x'.repeat(32), ...env }), log)
  return entries.map(({ msg }) => msg)
}

t.test('one warning says which claims of access tokens nobody looks at', async (t) => {
  t.match(await warningsOf({}), [/^AUTH_ISSUER and AUTH_AUDIENCE not set/])
  t.match(await warningsOf({ AUTH_ISSUER: 'https://id.example.com' }), [/^AUTH_AUDIENCE not set/])
  t.strictSame(await warningsOf({ AUTH_ISSUER: 'https://id.example.com', AUTH_AUDIENCE: 'catalog' }), [])
})
