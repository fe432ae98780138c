/**
 * How many requests and websockets one address may have open at a time. The address is the one that trusted proxies name, if there are
 * any; connections themselves are bounded below (api/http-server.ts).
 */
import type { FastifyInstance } from 'fastify'
import { rateLimited } from '../errors.js'
import { createAddressPlaces } from './address-places.js'
import { whenClosed, whenReplied } from './reply-end.js'

export interface AddressLimits {
  connections: number
  /** Under way: from the headers to the end of the answer. */
  requests: number
  websockets: number
}

/**
 * A merchant's back office behind one address, with a pool of connections for each of its servers, has far less; and eight addresses
 * together do not fill the places of all.
 */
export const defaultAddressLimits: AddressLimits = { connections: 512, requests: 512, websockets: 200 }

const retryAfterSeconds = 5

export function registerAddressLimits (app: FastifyInstance, limits: AddressLimits): void {
  const requests = createAddressPlaces(limits.requests)
  const websockets = createAddressPlaces(limits.websockets)
  // The first hook: what is one too many is not even authenticated.
  app.addHook('onRequest', (request, reply, done) => {
    const isUpgrade = request.raw.headers.upgrade !== undefined
    const leave = (isUpgrade ? websockets : requests).take(request.ip)
    if (leave === null) {
      const what = isUpgrade ? `${limits.websockets} websockets` : `${limits.requests} requests under way`
      done(rateLimited(`An address may have at most ${what} at a time; try again in ${retryAfterSeconds} s`, { retryAfterSeconds }))
      return
    }
    // An upgraded connection outlives its request.
    if (isUpgrade) whenClosed(request.raw.socket, leave)
    else whenReplied(request, reply, leave)
    done()
  })
}
