/**
 * The link that `npm start` prints on a terminal: whoever sits at it owns the embedded database anyway. It is good once, for ten minutes, and
 * signs a user of its own in, who owns every vendor that there is by then.
 *
 *   made ──▶ used | too old
 */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { consolePath, type RedeemLink } from '../api/console.js'
import { signAccessToken, type TokenIssuer } from '../cli/sign-access-token.js'
import type { Membership } from '../domain/access.js'
import { isAppError } from '../errors.js'
import type { Repositories } from '../store/repositories.js'

export interface ConsoleLink {
  /** Below the API's base URL. */
  path: string
  redeem: RedeemLink
}

export const operatorId = 'local-operator'

const goodForMs = 10 * 60_000
/** A working day; then the service is asked for another link by starting it again, or `catalog token create` for a token. */
const tokenTtlSeconds = 12 * 60 * 60

export function createConsoleLink (
  { vendors, users }: Pick<Repositories, 'vendors' | 'users'>, issuer: TokenIssuer, monotonicMs: () => number = () => performance.now()
): ConsoleLink {
  const code = randomBytes(24).toString('base64url')
  const madeAtMs = monotonicMs()
  let isGood = true

  async function signIn (): Promise<string> {
    const memberships: Membership[] = []
    for await (const vendorId of vendors.ids()) memberships.push({ vendorId, role: 'owner', permissions: [] })
    await users.create(operatorId, 'operator@localhost', memberships).catch(async (error: unknown) => {
      if (!isAppError(error) || error.code !== 'CONFLICT') throw error
      for (const membership of memberships) await users.grant(operatorId, membership)
    })
    return await signAccessToken(operatorId, Math.min(tokenTtlSeconds, issuer.authTokenMaxAgeSeconds), issuer)
  }

  return {
    path: `${consolePath}#${code}`,
    async redeem (given) {
      if (!isGood || monotonicMs() - madeAtMs > goodForMs || !equal(given, code)) return null
      isGood = false
      return await signIn()
    }
  }
}

function equal (given: string, code: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(code)]
  return a.length === b.length && timingSafeEqual(a, b)
}
