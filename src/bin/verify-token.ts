/** What verifies access tokens, as configured. */
import type { Logger } from 'pino'
import { createTokenVerifier, type VerifyToken } from '../api/auth/token-verifier.js'
import type { Config } from '../config.js'
import { loadOrCreateTokenSecret } from '../embedded/token-secret.js'

/** Says so, once, where tokens of the same keys that are meant for others would be taken. */
export async function createVerifyToken (config: Config, log: Logger): Promise<VerifyToken> {
  const { dataDir, authJwtSecret, authJwksUrl, authIssuer: issuer, authAudience: audience, authTokenMaxAgeSeconds: maxAgeSeconds } = config
  const unset = Object.entries({ AUTH_ISSUER: issuer, AUTH_AUDIENCE: audience }).flatMap(([name, value]) => value === undefined ? [name] : [])
  if (unset.length > 0) log.warn(`${unset.join(' and ')} not set: access tokens are taken whoever they name there`)
  const keys = authJwksUrl === undefined
    ? { secret: authJwtSecret ?? await loadOrCreateTokenSecret(dataDir) }
    : { jwksUrl: authJwksUrl }
  return createTokenVerifier({ keys, issuer, audience, maxAgeSeconds })
}
