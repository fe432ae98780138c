/** `discarding-worker.js FILE…`: once its standard input ends, takes the files through the pipeline, side by side, into nothing. */
import { once } from 'node:events'
import { discardFile } from './discard-file.js'

const paths = process.argv.slice(2)
process.stdout.write('ready\n')
process.stdin.resume()
await once(process.stdin, 'end')
await Promise.all(paths.map(discardFile))
