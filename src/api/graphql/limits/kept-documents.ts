/**
 * Mercurius keeps the documents that it has parsed, and those that were not valid with what was wrong with them, so many of each. This bounds what they
 * take, too: strangers' documents may be a thousand times as large as a client's own. All are forgotten once they may be too much; who is still
 * there is parsed again, which takes a millisecond.
 */
import type { DocumentNode } from 'graphql'

/** Of a kind; twice that at most. More than the clients of one API have. */
export const mostKeptDocuments = 500
const mostKeptBytes = 16 * 1_024 * 1_024
/** Measured: a token with its node. */
const bytesOfToken = 256

/** Gives what is to be told of each document before it is kept. */
export function boundKeptDocuments (forgetAll: () => void, mostBytes = mostKeptBytes): (document: DocumentNode) => void {
  let bytes = 0
  return ({ tokenCount = 0, loc }) => {
    const more = tokenCount * bytesOfToken + 2 * (loc?.source.body.length ?? 0)
    bytes += more
    if (bytes <= mostBytes) return
    forgetAll()
    bytes = more
  }
}
