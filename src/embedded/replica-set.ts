/**
 * A fresh mongod started with --replSet takes no writes until it is told about its set, and one whose port has changed
 * since does not find itself in its own configuration. Transactions, change streams and majority writes need the set.
 */
import { MongoServerError, type Document } from 'mongodb'
import { setTimeout as sleep } from 'node:timers/promises'
import { unavailable } from '../errors.js'
import { replicaSetName } from './find-mongodb.js'

/** Runs a command on the server's `admin` database. */
export type AdminCommand = (command: Document) => Promise<Document>

/** From the server's error codes. */
const notYetInitialized = 94

/** Makes the server the primary of its set of one at `host` (`host:port`), and waits until it is. */
export async function becomePrimary (command: AdminCommand, host: string, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs
  const current = await readConfiguration(command)
  if (current === undefined) {
    await command({ replSetInitiate: { _id: replicaSetName, members: [{ _id: 0, host }] } })
  } else if (current.members[0]?.['host'] !== host) {
    const next = { ...current, version: current.version + 1, members: [{ _id: 0, host }] }
    // Forced: a member that is not in its set has no primary that could agree.
    await command({ replSetReconfig: next, force: true })
  }
  while ((await command({ hello: 1 }))['isWritablePrimary'] !== true) {
    if (performance.now() > deadline) throw unavailable(`The embedded mongod did not become primary within ${timeoutMs} ms`)
    await sleep(50)
  }
}

interface Configuration extends Document {
  version: number
  members: Document[]
}

async function readConfiguration (command: AdminCommand): Promise<Configuration | undefined> {
  try {
    return (await command({ replSetGetConfig: 1 }))['config'] as Configuration
  } catch (error) {
    if (error instanceof MongoServerError && error.code === notYetInitialized) return undefined
    throw error
  }
}
