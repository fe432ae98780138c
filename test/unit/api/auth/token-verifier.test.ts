import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { exportJWK, exportSPKI, generateKeyPair, SignJWT, UnsecuredJWT, type JWTPayload } from 'jose'
import t, { type Test } from 'tap'
import { createTokenVerifier, endOfToken } from '../../../../src/api/auth/token-verifier.js'

const secret = 'a secret of at least 32 characters'
const verifierOf = (changes: Partial<Parameters<typeof createTokenVerifier>[0]> = {}) =>
  createTokenVerifier({ keys: { secret }, issuer: undefined, audience: undefined, maxAgeSeconds: 3_600, ...changes })
const seconds = (fromNow: number): number => Math.floor(Date.now() / 1_000) + fromNow
const signed = async (payload: JWTPayload, key = secret, alg = 'HS256'): Promise<string> =>
  await new SignJWT({ iat: seconds(0), ...payload }).setProtectedHeader({ alg }).sign(new TextEncoder().encode(key))
type SigningKey = Awaited<ReturnType<typeof generateKeyPair>>['privateKey']
const refused = { code: 'UNAUTHENTICATED' }

t.test('a token gives its user', async (t) => {
  t.equal(await verifierOf()(await signed({ sub: 'auth0|5f7c', exp: seconds(60) })), 'auth0|5f7c')
})

t.test('an expired token is refused, and told so; a clock may differ by seconds', async (t) => {
  for (const late of [4, 60, 3_000]) await t.rejects(verifierOf()(await signed({ sub: 'ada', iat: seconds(-3_060), exp: seconds(-late) })), { ...refused, message: /expired/ }, String(late))
  await t.resolves(verifierOf()(await signed({ sub: 'ada', exp: seconds(-1) })))
})

t.test('a token without expiry or user, or with a user that is none, is refused', async (t) => {
  for (const payload of [{ sub: 'ada' }, { exp: seconds(60) }, { sub: '', exp: seconds(60) }, { sub: '{"$ne":1}', exp: seconds(60) }, { sub: 'x'.repeat(129), exp: seconds(60) }]) {
    await t.rejects(verifierOf()(await signed(payload)), refused, JSON.stringify(payload))
  }
})

t.test('a token that lasts longer than it may is refused, and told so', async (t) => {
  await t.resolves(verifierOf()(await signed({ sub: 'ada', iat: seconds(0), exp: seconds(3_600) })))
  for (const exp of [seconds(3_602), seconds(100 * 365 * 24 * 3_600), 1e308]) {
    await t.rejects(verifierOf()(await signed({ sub: 'ada', iat: seconds(0), exp })), { ...refused, message: /exp must be at most 3600 s after its iat/ }, String(exp))
  }
})

t.test('a token says when it was issued, in a number', async (t) => {
  for (const iat of [undefined, null, 'now', {}]) {
    await t.rejects(verifierOf()(await signed({ sub: 'ada', iat, exp: seconds(60) } as unknown as JWTPayload)), refused, JSON.stringify(iat))
  }
})

t.test('a token may begin a minute ahead of this clock, and no more', async (t) => {
  for (const claim of ['iat', 'nbf']) {
    await t.resolves(verifierOf()(await signed({ sub: 'ada', exp: seconds(600), [claim]: seconds(55) })), claim)
    for (const ahead of [90, 300, 1e10]) await t.rejects(verifierOf()(await signed({ sub: 'ada', exp: seconds(600), [claim]: seconds(ahead) })), refused, `${claim} ${ahead}`)
  }
})

t.test('alg none and other algorithms than HS256 are refused', async (t) => {
  await t.rejects(verifierOf()(new UnsecuredJWT({ sub: 'ada' }).setExpirationTime('1h').encode()), refused)
  await t.rejects(verifierOf()(await signed({ sub: 'ada', exp: seconds(60) }, secret.repeat(2), 'HS512')), refused)
  const none = [{ alg: 'none' }, { sub: 'ada', exp: seconds(60) }].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  for (const token of [`${none}.`, none, `${none}.AA`, '', '..', 'a.b.c', 'x'.repeat(10_000)]) await t.rejects(verifierOf()(token), refused)
})

t.test('a changed token is refused', async (t) => {
  const [header = '', , signature = ''] = (await signed({ sub: 'ada', exp: seconds(60) })).split('.')
  const payload = Buffer.from(JSON.stringify({ sub: 'root', exp: seconds(60) })).toString('base64url')
  await t.rejects(verifierOf()(`${header}.${payload}.${signature}`), refused)
})

t.test('issuer and audience must be those that are configured', async (t) => {
  const verify = verifierOf({ issuer: 'https://id.example.com', audience: 'catalog' })
  const payload = { sub: 'ada', exp: seconds(60), iss: 'https://id.example.com', aud: ['catalog', 'else'] }
  t.equal(await verify(await signed(payload)), 'ada')
  for (const changes of [{ iss: 'https://evil.example.com' }, { aud: 'else' }, { iss: undefined }, { aud: undefined }]) {
    await t.rejects(verify(await signed({ ...payload, ...changes } as JWTPayload)), refused, JSON.stringify(changes))
  }
})

async function serveKeys (t: Test, answer: () => object | null): Promise<string> {
  const server: Server = createServer((_request, response) => {
    const body = answer()
    if (body === null) response.writeHead(500).end()
    else response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => { server.close() })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`
}

t.test('a key set: its keys count, others and HMAC with its public key do not', async (t) => {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true })
  const jwk = { ...await exportJWK(publicKey), kid: 'k1', alg: 'RS256' }
  const verify = verifierOf({ keys: { jwksUrl: await serveKeys(t, () => ({ keys: [jwk] })) } })
  const payload = { sub: 'ada', iat: seconds(0), exp: seconds(60) }
  const sign = async (key: SigningKey, kid: string): Promise<string> => await new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid }).sign(key)
  t.equal(await verify(await sign(privateKey, 'k1')), 'ada')
  await t.rejects(verify(await sign(privateKey, 'k2')), refused, 'a key that the set does not hold')
  await t.rejects(verify(await sign((await generateKeyPair('RS256')).privateKey, 'k1')), refused, 'a key that calls itself so')
  await t.rejects(verify(await signed(payload, await exportSPKI(publicKey))), refused, 'the public key taken for a secret')
})

t.test('a key set that cannot be had is nobody\'s wrong token', async (t) => {
  const { privateKey } = await generateKeyPair('ES256')
  const token = await new SignJWT({ sub: 'ada', exp: seconds(60) }).setProtectedHeader({ alg: 'ES256', kid: 'k1' }).sign(privateKey)
  for (const answer of [() => null, () => ({ keys: 'none' })]) {
    await t.rejects(verifierOf({ keys: { jwksUrl: await serveKeys(t, answer) } })(token), { code: 'SERVICE_UNAVAILABLE' })
  }
  await t.rejects(verifierOf({ keys: { jwksUrl: 'http://127.0.0.1:1/keys' } })(token), { code: 'SERVICE_UNAVAILABLE' })
})

t.test('a token says when it ends, and what is no JWT or says nothing does not', async (t) => {
  const exp = seconds(60)
  t.equal(endOfToken(await signed({ sub: 'ada', exp })), exp * 1_000)
  t.equal(endOfToken(await signed({ sub: 'ada' })), null)
  for (const text of ['', 'x', 'a.b.c', 'e30']) t.equal(endOfToken(text), null, text)
})
