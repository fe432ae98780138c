/** Tells a database that is away from a command that is wrong. */
import {
  MongoBulkWriteError, MongoError, MongoNetworkError, MongoNotConnectedError, MongoOperationTimeoutError,
  MongoServerError, MongoServerSelectionError, MongoTopologyClosedError, type WriteError
} from 'mongodb'

/**
 * Codes of the server that mean "not now": host unreachable, shutdown, stepdown, not primary, write concern timeout
 * (https://github.com/mongodb/specifications, "Server Discovery and Monitoring").
 */
const transientCodes = new Set([6, 7, 64, 89, 91, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436])

/** True when the same operation may succeed once the database is back. */
export function isDatabaseAway (thrown: unknown): boolean {
  const error = unwrapped(thrown)
  if (!(error instanceof MongoError)) return false
  if (error instanceof MongoNetworkError || error instanceof MongoServerSelectionError ||
    error instanceof MongoNotConnectedError || error instanceof MongoTopologyClosedError ||
    error instanceof MongoOperationTimeoutError) return true
  if (error.hasErrorLabel('RetryableWriteError') || error.hasErrorLabel('TransientTransactionError')) return true
  if (error.name === 'MongoPoolClearedError' || error.name === 'MongoWaitQueueTimeoutError') return true
  return error instanceof MongoServerError && typeof error.code === 'number' && (transientCodes.has(error.code) || isStorageBroken(error))
}

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
