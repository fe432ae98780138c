/** A MongoDB server on an empty folder, started exactly as the embedded one is: what it acknowledges survives kill -9. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { addressOf, startMongodbProcess } from '../../../src/embedded/mongodb-process.js'
import { freePort } from './free-port.js'
import { mongodbProgram } from './mongodb-program.js'
import { silent } from '../../support/log.js'

export interface Mongodb {
  url: string
  /** Which server it is. */
  command: string
  stop (): Promise<void>
}

export async function startMongodb (folder: string): Promise<Mongodb> {
  const program = await mongodbProgram()
  const port = await freePort()
  const dataPath = join(folder, 'data')
  const emptyConfigPath = join(folder, 'empty.toml')
  await mkdir(dataPath, { recursive: true })
  await writeFile(emptyConfigPath, '')
  const child = await startMongodbProcess(
    { program, port, dataPath, emptyConfigPath, logPath: join(folder, 'mongodb.log'), env: process.env, log: silent },
    async () => {}
  )
  return { url: addressOf(port), command: program.command, stop: child.stop }
}
