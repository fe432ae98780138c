/**
 * The console at /console (src/console, bundled by scripts/build-console.js): static files, and the exchange of one-time links. What it shows
 * it asks /graphql and /api/v1 for, with its reader's own credential.
 *
 * Its pages have addresses of their own, which are all answered with the one document; what the bundle is made of has names that change
 * with its content.
 */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import { isRecord } from '../domain/reader.js'
import { badInput, notFound, unauthenticated } from '../errors.js'
import { securityHeaders } from './security-headers.js'

/** Gives an access token for the code of a one-time link; null: it is none, or not any more. */
export type RedeemLink = (code: string) => Promise<string | null>

export const consolePath = '/console'

const bundle = fileURLToPath(new URL('../../console/', import.meta.url))
const assetName = /^[\w.-]+\.(?:js|css|svg)$/

/**
 * Scripts, styles and requests are of this origin alone, and nothing is inline. Images are merchants' own, wherever they lie; they are not
 * told which page shows them.
 */
const headers = securityHeaders({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'self'"],
      imgSrc: ["'self'", 'https:', 'http:'],
      objectSrc: ["'none'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"]
    }
  },
  frameguard: { action: 'deny' },
  referrerPolicy: { policy: 'no-referrer' }
})

export async function registerConsole (
  app: FastifyInstance, { redeem, onRequest }: { redeem: RedeemLink | null, onRequest: onRequestHookHandler[] }
): Promise<void> {
  if (!existsSync(bundle)) throw new Error(`The console has not been built: ${bundle} is missing. Run npm run build, or set CONSOLE=off`)
  await app.register(async (scope) => {
    await scope.register(fastifyStatic, { root: bundle, serve: false })
    // Whoever opens it has no credential yet; they are counted with the probes.
    const options = { onRequest, logLevel: 'warn', config: { rateLimit: false, securityHeaders: headers } } as const

    scope.get(consolePath, options, async (_request, reply) => reply.header('cache-control', 'no-cache').sendFile('index.html', { cacheControl: false }))

    scope.get<{ Params: { '*': string } }>(`${consolePath}/*`, options, async (request, reply) => {
      const path = request.params['*']
      if (!path.startsWith('assets/')) return await reply.header('cache-control', 'no-cache').sendFile('index.html', { cacheControl: false })
      if (!assetName.test(path.slice('assets/'.length))) throw notFound('There is no such file')
      return await reply.sendFile(path, { maxAge: '365d', immutable: true })
    })

    scope.post(`${consolePath}/sign-in`, { onRequest, config: { rateLimit: false } }, async (request) => {
      const code = isRecord(request.body) ? request.body['code'] : undefined
      if (typeof code !== 'string') throw badInput('"code" must be a string', 'code')
      const token = await redeem?.(code) ?? null
      if (token === null) throw unauthenticated('The link has been used, or is older than ten minutes')
      return { success: true, token }
    })
  })
}
