/** What verifies access tokens, as configured. */
import { createTokenVerifier, type VerifyToken } from '../api/auth/token-verifier.js'
import type { Config } from '../config.js'
import { loadOrCreateTokenSecret } from '../embedded/token-secret.js'

export async function createVerifyToken ({ dataDir, authJwtSecret, authJwksUrl, authJwtIssuer: issuer, authJwtAudience: audience }: Config): Promise<VerifyToken> {
  const keys = authJwksUrl === undefined
    ? { secret: authJwtSecret ?? await loadOrCreateTokenSecret(dataDir) }
    : { jwksUrl: authJwksUrl }
  return createTokenVerifier({ keys, issuer, audience })
}
