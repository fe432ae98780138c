/**
 * What is true of one kind of database server only. A server is asked once what it is, by the first who wants to know; whoever asks it for
 * something reads here in which sizes, and knows no server by name.
 */
import type { Document } from 'mongodb'

export interface ServerProfile {
  /** Of documents that are asked for by `_id`, or by another unique field, in one query. */
  idsPerQuery: number
  /** Of records that are asked for by their external ids, in one query. */
  externalIdsPerQuery: number
  /**
   * It commits, and syncs, each document of a bulk of updates by itself, and those of a transaction at once. Where it is false, the journal
   * takes the commits of many in groups, and a transaction would gain nothing; across shards it would cost a second round.
   */
  commitsEachDocument: boolean
  /** It looks at no more than a limit asks for, where an index has the order. Where it is false, all that matches is looked at, whatever the limit (find-in-ranges). */
  stopsAtLimit: boolean
}

/** MongoDB, and whatever does not say that it is something else. */
export const mongodb: ServerProfile = { idsPerQuery: 500, externalIdsPerQuery: 500, commitsEachDocument: false, stopsAtLimit: true }

/**
 * SecantusDB checks each document against the whole list of an `$in`: with 25 ids in a list in place of 100 a delta is a tenth faster, and an unchanged re-load a seventh; with 10 or 16 neither is. By a second key of
 * an index fewer are quicker, on secantusd-rs too. The commits of transactions of both are durable with the flags that they are started with (embedded/find-mongodb).
 */
export const secantusdb: ServerProfile = { idsPerQuery: 25, externalIdsPerQuery: 25, commitsEachDocument: true, stopsAtLimit: false }

/** Each query costs it, and the driver, as much as some twenty documents do; two at a time, of which a batch's are made, have two cores at work. */
export const secantusdRs: ServerProfile = { ...secantusdb, idsPerQuery: 250 }

/** Of a server that answers `buildInfo` like this. */
export function profileOf ({ secantusVersion, buildEnvironment }: Document): ServerProfile {
  if (typeof secantusVersion !== 'string') return mongodb
  return (buildEnvironment as Document | undefined)?.['cc'] === 'rustc' ? secantusdRs : secantusdb
}
