/**
 * Who runs the service, as far as the API can tell: nobody, but on an embedded set-up, where the user of the one-time link that was printed on the
 * terminal is (bin/console-link.ts). And that one only in person, and on the machine itself: what leaks of a working day's token must not
 * tell from afar how all vendors keep the service.
 */
import ipaddr from 'ipaddr.js'
import type { FastifyRequest } from 'fastify'
import type { Principal } from '../../domain/access.js'

/** `operatorId`: null where there is no such user. */
export function isOperator (principal: Principal, request: Pick<FastifyRequest, 'ip' | 'headers' | 'socket'>, operatorId: string | null): boolean {
  return operatorId !== null && principal.kind === 'user' && principal.userId === operatorId && principal.keyId === null && isFromHere(request)
}

/** A proxy on the same machine brings requests from anywhere. */
const isFromHere = ({ ip, headers, socket: { remoteAddress = '' } }: Pick<FastifyRequest, 'ip' | 'headers' | 'socket'>): boolean =>
  isLoopback(remoteAddress) && isLoopback(ip) && !proxyHeaders.some((name) => headers[name] !== undefined)

const proxyHeaders = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']

const isLoopback = (address: string): boolean => ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback'
