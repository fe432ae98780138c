/** Makes the files of a shape (bench/hostile): `hostile-files NAME FOLDER`; tells its parent where they are. */
import { createWriteStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { shapes } from './hostile-shapes.js'

/** Paths. */
export interface HostileFiles {
  before?: string
  file?: string
  /** The body of the request. */
  request?: string
}

const [name, folder = ''] = process.argv.slice(2)
const shape = shapes.find((shape) => shape.name === name)
if (shape === undefined) throw new Error(`There is no shape "${name}"`)

async function gzipped (name: string, pieces: Iterable<string>): Promise<string> {
  const path = join(folder, name)
  await pipeline(Readable.from(pieces), createGzip(), createWriteStream(path))
  return path
}

const made: HostileFiles = {}
if (shape.before !== undefined) made.before = await gzipped('before.jsonl.gz', shape.before())
if (shape.file !== undefined) made.file = await gzipped(shape.file.name, shape.file.pieces())
if (shape.request !== undefined) {
  made.request = join(folder, 'request.json')
  const request = shape.request()
  await writeFile(made.request, typeof request === 'string' ? request : JSON.stringify(request))
}
process.send?.(made)
process.disconnect()
