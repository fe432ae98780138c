/** A MongoDB server on a folder of its own, started exactly as the embedded one is: what it acknowledges survives kill -9. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { MongodbProgram } from '../../../src/embedded/find-mongodb.js'
import { addressOf, startMongodbProcess } from '../../../src/embedded/mongodb-process.js'
import { freePort } from './free-port.js'
import { mongodbProgram } from './mongodb-program.js'
import { silent } from '../../support/log.js'

export interface Mongodb {
  url: string
  /** Which server it is. */
  command: string
  pid: number
  stop (): Promise<void>
}

/** Of this kind; the fastest that can be had when absent. On a folder that had one before, it goes on with that one's data. */
export async function startMongodb (folder: string, given?: MongodbProgram): Promise<Mongodb> {
  const program = given ?? await mongodbProgram()
  const port = await freePort()
  const dataPath = join(folder, 'data')
  const emptyConfigPath = join(folder, 'empty.toml')
  await mkdir(dataPath, { recursive: true })
  await writeFile(emptyConfigPath, '')
  const child = await startMongodbProcess(
    { program, port, dataPath, emptyConfigPath, logPath: join(folder, 'mongodb.log'), env: process.env, log: silent },
    async () => {}
  )
  return { url: addressOf(port), command: program.command, pid: child.pid, stop: child.stop }
}
