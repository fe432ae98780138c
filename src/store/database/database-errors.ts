/** Tells a database that is away from one that is too slow for what it was asked, and both from a command that is wrong. */
import {
  MongoBulkWriteError, MongoError, MongoNetworkError, MongoNetworkTimeoutError, MongoNotConnectedError,
  MongoServerError, MongoServerSelectionError, MongoTopologyClosedError, MongoWriteConcernError, type WriteError
} from 'mongodb'
import { HostsNotFound, HostsUnusable } from './connecting-client.js'
import { mongodbSrvUrlExample, type MongodbUrlVariable } from './mongodb-url.js'

/**
 * Codes of the server that mean "not now" (https://github.com/mongodb/specifications, "Server Discovery and Monitoring", "Retryable
 * Reads" and "Change Streams"): host unreachable, shutdown, stepdown, not primary, write concern timeout; of a sharded cluster also a
 * shard without a primary (133) and data that is moving between shards (63, 150, 13388, 234); a majority that is not known yet (134).
 * A cursor that is lost (43, 237) went with its server or with its primary: who reads from the beginning finds all of it again. So
 * does who was in the way of another's write (24, 112) or of an index that went (175).
 */
const transientCodes = new Set([
  6, 7, 24, 43, 63, 64, 89, 91, 112, 133, 134, 150, 175, 189, 234, 237, 262, 9001, 10058, 10107, 11600, 11602, 13388, 13435, 13436
])
const maxTimeExpired = 50

/** True when the same operation may succeed once the database is back. */
export function isDatabaseAway (thrown: unknown): boolean {
  const error = unwrapped(thrown)
  if (!(error instanceof MongoError) || isTooSlow(error)) return false
  if (error instanceof MongoNetworkError || error instanceof MongoServerSelectionError ||
    error instanceof MongoNotConnectedError || error instanceof MongoTopologyClosedError) return true
  if (error.hasErrorLabel('RetryableWriteError') || error.hasErrorLabel('TransientTransactionError')) return true
  if (isWithoutMajority(error)) return true
  if (error.name === 'MongoPoolClearedError' || error.name === 'MongoWaitQueueTimeoutError') return true
  return error instanceof MongoServerError && typeof error.code === 'number' && (transientCodes.has(error.code) || isStorageBroken(error))
}

/**
 * True when the operation was not done in its time. A server that hangs is told by the driver's own heartbeats, in less time than an
 * operation has, and is away from then on; so this one is at work, and the same operation may take as long the next time.
 */
export function isTooSlow (thrown: unknown): boolean {
  const error = unwrapped(thrown)
  // A connection that was not even made in time is one to a server that is away.
  if (error instanceof MongoNetworkTimeoutError) return (error as { beforeHandshake?: boolean }).beforeHandshake !== true
  return error instanceof MongoServerError && error.code === maxTimeExpired && !isWithoutMajority(error)
}

/** The primary has done the write in time, and waited for replicas that are away until it was over. */
const isWithoutMajority = (error: unknown): boolean => error instanceof MongoServerError && error.code === maxTimeExpired &&
  (error instanceof MongoWriteConcernError || (error instanceof MongoBulkWriteError && error.result.getWriteConcernError() !== undefined))

/** True when the database has not done what it was asked, for a reason that may be gone later: away or too slow. */
export const hasNotAnswered = (thrown: unknown): boolean => isDatabaseAway(thrown) || isTooSlow(thrown)

/**
 * What the embedded servers answer once their storage has given up (a full disk), until they are restarted
 * (embedded/storage-watch). mongod ends instead. SecantusDB says the same of a command that it cannot do.
 */
export function isStorageBroken (thrown: unknown): boolean {
  const error = unwrapped(thrown)
  return error instanceof MongoServerError && error.code === internalError && /WT_PANIC|^internal server error$/.test(error.message)
}

/** The driver puts an error of its own that ends a bulk, such as a lost connection, into one that looks like a bulk's. */
const unwrapped = (error: unknown): unknown =>
  error instanceof MongoBulkWriteError && (error.errorResponse as unknown) instanceof Error ? error.errorResponse : error

const internalError = 1
const duplicateKey = 11000

export const isDuplicateKey = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === duplicateKey

const unauthorized = 13
const authenticationFailed = 18

/** What the server has against whoever the URL of this variable says that we are, in one line; undefined where that is not it. It is there, and waiting would not help. */
export function refusalOf (thrown: unknown, variable: MongodbUrlVariable): string | undefined {
  const error = unwrapped(thrown)
  if (error instanceof HostsUnusable) return `${variable} cannot be used: ${error.message.slice(0, 300)}; one that works is ${mongodbSrvUrlExample}`
  if (!(error instanceof MongoServerError)) return undefined
  if (error.code === authenticationFailed) return `MongoDB refuses the user, the password or the certificate in ${variable}`
  if (error.code === unauthorized) return `MongoDB lets the user of ${variable} not do what the service does (${error.message.slice(0, 200)}): docs/operations.md, "MongoDB's rights", has a role`
  return undefined
}

/** Why no connection comes about, in one line, where it is for TLS or DNS; undefined where that is not it. Waiting helps, once somebody has mended it there. */
export function connectionFaultOf (thrown: unknown, variable: MongodbUrlVariable): string | undefined {
  const error = unwrapped(thrown)
  if (error instanceof HostsNotFound) return `The hosts of ${variable} are not to be found: ${error.message.slice(0, 300)}; a URL that works is ${mongodbSrvUrlExample}`
  if (!(error instanceof MongoError) || !isDatabaseAway(error)) return undefined
  const [fault] = /[^:]*(?:certificate|altname|SSL routines|wrong version number|alert )[^:]*.*/i.exec(error.message) ?? []
  return fault === undefined ? undefined : `There is no TLS connection to MongoDB (${fault.trim().slice(0, 200)}): tls, tlsCAFile and tlsCertificateKeyFile in ${variable} must be as the server wants them`
}

/** Rethrows anything but a bulk whose only failures are duplicate keys; one that failed without naming any was cut off. */
export function ignoreDuplicates (error: unknown): void {
  if (!(error instanceof MongoBulkWriteError)) throw error
  const failures = writeErrorsOf(error)
  const onlyDuplicates = failures.length > 0 && failures.every(({ code }) => code === duplicateKey)
  if (!onlyDuplicates || error.result.getWriteConcernError() !== undefined) throw error
}

/** The failures of single operations of a bulk: their place in it and their code. */
export function writeErrorsOf (error: MongoBulkWriteError): Array<{ index: number, code: number }> {
  const errors = error.writeErrors as WriteError | WriteError[]
  return (Array.isArray(errors) ? errors : [errors]).map(({ index, code }) => ({ index, code }))
}
