import t, { type Test } from 'tap'
import { createTokenVerifier } from '../../../src/api/auth/token-verifier.js'
import { createConsoleLink, operatorId, type ConsoleLink } from '../../../src/bin/console-link.js'
import { testDatabase } from '../../support/database.js'

const secret = 'a secret that only the tests know of'
const issuer = { secret, authIssuer: undefined, authAudience: undefined, authTokenMaxAgeSeconds: 3_600 }
const verify = createTokenVerifier({ keys: { secret }, issuer: undefined, audience: undefined, maxAgeSeconds: 3_600 })

async function linkOf (t: Test, clock: () => number = () => 0) {
  const { repositories } = await testDatabase(t)
  const link = createConsoleLink(repositories, issuer, clock)
  return { repositories, link, code: codeOf(link) }
}

const codeOf = ({ path }: ConsoleLink): string => path.replace('/console#', '')

t.test('it signs in an owner of every vendor that there is by then', async (t) => {
  const { repositories, link, code } = await linkOf(t)
  await repositories.vendors.create('acme', 'Acme')
  t.equal(await verify(await link.redeem(code) ?? ''), operatorId)
  t.match((await repositories.users.find(operatorId))?.memberships, [{ vendorId: 'acme', role: 'owner' }])
})

t.test('a later start\'s link finds the same user, and the vendors made since', async (t) => {
  const { repositories, link, code } = await linkOf(t)
  await repositories.vendors.create('acme', 'Acme')
  await link.redeem(code)
  await repositories.vendors.create('other', 'Other')
  const next = createConsoleLink(repositories, issuer)
  t.ok(await next.redeem(codeOf(next)))
  t.strictSame((await repositories.users.find(operatorId))?.memberships.map(({ vendorId }) => vendorId).sort(), ['acme', 'other'])
})

t.test('it is good once', async (t) => {
  const { link, code } = await linkOf(t)
  t.ok(await link.redeem(code))
  t.equal(await link.redeem(code), null)
})

t.test('a wrong guess neither signs in nor uses it up', async (t) => {
  const { link, code } = await linkOf(t)
  t.equal(await link.redeem('x'.repeat(code.length)), null)
  t.equal(await link.redeem(''), null)
  t.ok(await link.redeem(code))
})

t.test('after ten minutes it is good no more', async (t) => {
  let nowMs = 0
  const { link, code } = await linkOf(t, () => nowMs)
  nowMs = 10 * 60_000 + 1
  t.equal(await link.redeem(code), null)
})
