/** Uploads a file to an SFTP server in a process of its own: HOST:PORT, USER, FILE OF THE KEY, FILE. */
import { readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { uploadFiles } from '../../src/cli/upload-files.js'

const [address = '', user = '', keyFile = '', path = ''] = process.argv.slice(2)
const [host = '', port = ''] = address.split(':')
await uploadFiles(
  [{ path, name: basename(path), bytes: statSync(path).size }],
  { address: { user, host, port: Number(port) }, identity: readFileSync(keyFile, 'utf8') },
  { signal: new AbortController().signal }
)
