/** Access tokens, where this service itself holds the secret that signs them. */
import type { Config } from '../config.js'

export interface TokenIssuer extends Pick<Config, 'authIssuer' | 'authAudience' | 'authTokenMaxAgeSeconds'> { secret: string }

export async function signAccessToken (userId: string, ttlSeconds: number, { secret, authIssuer, authAudience }: TokenIssuer): Promise<string> {
  const { SignJWT } = await import('jose')
  const now = Math.floor(Date.now() / 1_000)
  const token = new SignJWT().setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).setSubject(userId).setIssuedAt(now).setExpirationTime(now + ttlSeconds)
  if (authIssuer !== undefined) token.setIssuer(authIssuer)
  if (authAudience !== undefined) token.setAudience(authAudience)
  return await token.sign(new TextEncoder().encode(secret))
}
