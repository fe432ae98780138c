/**
 * Users' access tokens: JWTs signed with a shared secret (HS256) or with a key of a JWKS (asymmetric algorithms only). Which
 * algorithms count is decided here and never by the token, so `alg: none` and a public key taken for an HMAC secret are
 * refused. Nobody can take a token back, so each says when it was issued and ends soon after that.
 */
import { createRemoteJWKSet, decodeJwt, errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey, type JWTVerifyOptions, type JWTVerifyResult } from 'jose'
import { userIdPattern } from '../../domain/access.js'
import { unauthenticated, unavailable } from '../../errors.js'

/** Gives the user id (`sub`). Throws UNAUTHENTICATED, or SERVICE_UNAVAILABLE while the JWKS cannot be had. */
export type VerifyToken = (token: string) => Promise<string>

export interface TokenSettings {
  /** At least 32 characters, or the http(s) URL of a JWKS. */
  keys: { secret: string } | { jwksUrl: string }
  /** What `iss` and `aud` must be; undefined = anything. */
  issuer: string | undefined
  audience: string | undefined
  /** From `iat` to `exp`, at most. */
  maxAgeSeconds: number
}

/** By how much the issuer's clock may be ahead: that a token begins a little early harms nobody. */
const maxAheadSeconds = 60
/** How long a token outlives its end: with the second between two looks at websockets, less than 5 s. Clocks that follow NTP differ by far less. */
const graceSeconds = 3
const jwksTimeoutMs = 5_000
const secretAlgorithms = ['HS256']
const publicKeyAlgorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

/** Makes no request yet: a JWKS is fetched with the first token, kept, and fetched again (at most every 30 s) for an unknown key. */
export function createTokenVerifier ({ keys, issuer, audience, maxAgeSeconds }: TokenSettings): VerifyToken {
  const options: JWTVerifyOptions = {
    clockTolerance: maxAheadSeconds,
    requiredClaims: ['sub', 'iat', 'exp'],
    ...issuer === undefined ? {} : { issuer },
    ...audience === undefined ? {} : { audience }
  }
  const verify = 'secret' in keys ? bySecret(keys.secret, options) : byJwks(keys.jwksUrl, options)
  return async (token) => {
    const { payload } = await verify(token).catch(refuse)
    checkTimes(payload, maxAgeSeconds)
    const { sub } = payload
    if (sub === undefined || !userIdPattern.test(sub)) throw unauthenticated('The access token is not valid', { reason: 'token' })
    return sub
  }
}

/** When a token that is good ends, in milliseconds since 1970; null where it does not say so as JWTs do. */
export function endOfToken (token: string): number | null {
  try {
    const { exp } = decodeJwt(token)
    return exp === undefined ? null : exp * 1_000
  } catch (error) {
    if (error instanceof errors.JOSEError) return null
    throw error
  }
}

type Verify = (token: string) => Promise<JWTVerifyResult>

function bySecret (secret: string, options: JWTVerifyOptions): Verify {
  const key = new TextEncoder().encode(secret)
  return async (token) => await jwtVerify(token, key, { ...options, algorithms: secretAlgorithms })
}

function byJwks (url: string, options: JWTVerifyOptions): Verify {
  const keySet = createRemoteJWKSet(new URL(url), { timeoutDuration: jwksTimeoutMs })
  const findKey: JWTVerifyGetKey = async (header, token) => {
    try {
      return await keySet(header, token)
    } catch (error) {
      // The token names a key that the set does not hold, or names it badly; everything else is the set's own trouble.
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error
      throw unavailable('Access tokens cannot be verified at the moment; try again later', error)
    }
  }
  return async (token) => await jwtVerify(token, findKey, { ...options, algorithms: publicKeyAlgorithms })
}

/** Of a token whose signature is right, with the claims that jose has seen to be there and numbers. */
function checkTimes ({ iat = NaN, exp = NaN }: JWTPayload, maxAgeSeconds: number): void {
  const now = Date.now() / 1_000
  if (!(exp > now - graceSeconds)) throw expired()
  if (!(iat <= now + maxAheadSeconds)) throw unauthenticated('The access token\'s iat is in the future', { reason: 'token-times' })
  if (!(exp - iat <= maxAgeSeconds)) throw unauthenticated(`The access token's exp must be at most ${maxAgeSeconds} s after its iat`, { reason: 'token-times' })
}

const expired = (): Error => unauthenticated('The access token has expired', { reason: 'ended-token' })

/** Nothing is told of why, except what the holder of a token that was good can act on. */
function refuse (error: unknown): never {
  if (error instanceof errors.JWTExpired) throw expired()
  if (error instanceof errors.JOSEError) throw unauthenticated('The access token is not valid', { reason: 'token' })
  throw error
}
