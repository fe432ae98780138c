/** `catalog token create`: an access token, where this service itself holds the secret that signs them. */
import { InvalidArgumentError, type Command } from 'commander'
import { loadConfig, type Config } from '../config.js'
import { notFound } from '../errors.js'
import { CliError } from './cli-error.js'
import type { CliContext } from './context.js'
import { withRepositories } from './with-repositories.js'

interface Options { user: string, ttl: number, json?: true }

const defaultTtlSeconds = 60 * 60
/** A token cannot be revoked; what has to last longer is an API key. */
const maxTtlSeconds = 30 * 24 * 60 * 60
const unitSeconds: Record<string, number> = { s: 1, m: 60, h: 60 * 60, d: 24 * 60 * 60 }

export function addTokenCreate (token: Command, context: CliContext): void {
  token.command('create')
    .description('prints an access token of a user')
    .requiredOption('--user <id>', 'the user')
    .option('--ttl <time>', 'how long it works: 90s, 15m, 1h, 7d; at most 30d', parseTtl, defaultTtlSeconds)
    .option('--json', 'print one JSON object: {"token"}')
    .action(async ({ user, ttl, json }: Options) => {
      const config = loadConfig(context.env)
      const secret = await secretOf(config)
      await withRepositories(context, async ({ users }) => {
        if (await users.find(user) === null) throw notFound(`There is no user ${JSON.stringify(user)}`)
      })
      const token = await sign(user, ttl, secret, config)
      if (json) return context.output.json({ token })
      context.output.print(token)
      context.output.note(`An access token of user ${user}, for ${ttl} s. Send it as: Authorization: Bearer TOKEN`)
    })
}

async function secretOf ({ authJwtSecret, authJwksUrl, dataDir }: Config): Promise<string> {
  if (authJwksUrl !== undefined) throw new CliError(`Access tokens are issued by whoever owns the keys at AUTH_JWKS_URL, ${authJwksUrl}`)
  if (authJwtSecret !== undefined) return authJwtSecret
  const { loadOrCreateTokenSecret } = await import('../embedded/token-secret.js')
  return await loadOrCreateTokenSecret(dataDir)
}

async function sign (userId: string, ttlSeconds: number, secret: string, { authJwtIssuer, authJwtAudience }: Config): Promise<string> {
  const { SignJWT } = await import('jose')
  const now = Math.floor(Date.now() / 1_000)
  const token = new SignJWT().setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).setSubject(userId).setIssuedAt(now).setExpirationTime(now + ttlSeconds)
  if (authJwtIssuer !== undefined) token.setIssuer(authJwtIssuer)
  if (authJwtAudience !== undefined) token.setAudience(authJwtAudience)
  return await token.sign(new TextEncoder().encode(secret))
}

function parseTtl (text: string): number {
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  const seconds = Number(count) * (unitSeconds[unit ?? ''] ?? NaN)
  if (!(seconds >= 1 && seconds <= maxTtlSeconds)) throw new InvalidArgumentError('It must be a time such as 90s, 15m, 1h or 7d, at most 30d.')
  return seconds
}
