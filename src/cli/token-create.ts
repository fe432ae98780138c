/** `catalog token create`: an access token, where this service itself holds the secret that signs them. */
import { InvalidArgumentError, type Command } from 'commander'
import { loadConfig, type Config } from '../config.js'
import { parseSeconds } from '../domain/duration.js'
import { notFound } from '../errors.js'
import { CliError } from './cli-error.js'
import type { CliContext } from './context.js'
import { signAccessToken } from './sign-access-token.js'
import { withRepositories } from './with-repositories.js'

interface Options { user: string, ttl?: number, json?: true }

const defaultTtlSeconds = 60 * 60

export function addTokenCreate (token: Command, context: CliContext): void {
  token.command('create')
    .description('prints an access token of a user')
    .requiredOption('--user <id>', 'the user')
    .option('--ttl <time>', 'how long it works, such as 90s, 15m or 1h (the default); at most AUTH_TOKEN_MAX_AGE', parseTtl)
    .option('--json', 'print one JSON object: {"token"}')
    .action(async ({ user, ttl: wanted, json }: Options) => {
      const config = loadConfig(context.env)
      const ttl = withinMaxAge(wanted, config)
      const secret = await secretOf(config)
      await withRepositories(context, async ({ users }) => {
        if (await users.find(user) === null) throw notFound(`There is no user ${JSON.stringify(user)}`)
      })
      const token = await signAccessToken(user, ttl, { ...config, secret })
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

/** A token cannot be revoked; what has to last longer is an API key. Throws CliError. */
function withinMaxAge (ttlSeconds: number | undefined, { authTokenMaxAgeSeconds: maxSeconds }: Config): number {
  if (ttlSeconds !== undefined && ttlSeconds > maxSeconds) {
    throw new CliError(`--ttl is at most ${maxSeconds} s (AUTH_TOKEN_MAX_AGE): the service would refuse the token. What has to last longer is an API key`)
  }
  return ttlSeconds ?? Math.min(defaultTtlSeconds, maxSeconds)
}

function parseTtl (text: string): number {
  const seconds = parseSeconds(text)
  if (seconds === undefined) throw new InvalidArgumentError('It must be a time such as 90s, 15m or 1h.')
  return seconds
}
