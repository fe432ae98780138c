/** An SFTP server that keeps files in memory and can misbehave in the ways that uploads must survive. */
import ssh2 from 'ssh2'
import type { Test } from 'tap'
import { fingerprintOf } from '../../../../src/domain/ssh-public-key.js'
import { generateEd25519KeyPair, type KeyPair } from '../../../../src/sftp/key-pair.js'

const { OPEN_MODE, STATUS_CODE } = ssh2.utils.sftp

export interface TestSftpServer {
  port: number
  hostKeyFingerprint: string
  /** What the server lets in. */
  key: KeyPair
  user: string
  /** By path; a file is here once it has been closed. */
  files: Map<string, Buffer>
  /** The most WRITE requests that were waiting for an answer at once. */
  mostInFlight (): number
}

export interface Misbehaviour {
  /** The status of every OPEN, such as 3 for permission denied. */
  refuseOpen?: number
  refuseClose?: boolean
  /** Answers no WRITE after this many. */
  silentAfterWrites?: number
  /** Ends the connection at this WRITE. */
  hangUpAtWrite?: number
}

export async function startSftpServer (t: Test, { refuseOpen, refuseClose, silentAfterWrites, hangUpAtWrite }: Misbehaviour = {}): Promise<TestSftpServer> {
  const hostPair = generateEd25519KeyPair('host')
  const hostKey = ssh2.utils.parseKey(hostPair.public)
  if (hostKey instanceof Error) throw hostKey
  const key = generateEd25519KeyPair('merchant')
  const allowed = ssh2.utils.parseKey(key.public)
  if (allowed instanceof Error) throw allowed
  const files = new Map<string, Buffer>()
  let waiting = 0
  let mostInFlight = 0
  let writes = 0

  const server = new ssh2.Server({ hostKeys: [hostPair.private] }, (client) => {
    client.on('error', () => { /* the tests look at the client's side */ })
    client.on('authentication', (context) => {
      if (context.method === 'publickey' && context.username === 'acme' && context.key.data.equals(allowed.getPublicSSH())) context.accept()
      else context.reject(['publickey'])
    })
    client.on('session', (accept) => {
      accept().on('sftp', (acceptSftp) => {
        const open = new Map<number, { path: string, data: Buffer }>()
        const sftp = acceptSftp()
        sftp.on('OPEN', (request, path, flags) => {
          if (refuseOpen !== undefined || (flags & OPEN_MODE.WRITE) === 0) return sftp.status(request, refuseOpen ?? STATUS_CODE.PERMISSION_DENIED)
          open.set(open.size, { path, data: Buffer.alloc(0) })
          const handle = Buffer.alloc(4)
          handle.writeUInt32BE(open.size - 1)
          sftp.handle(request, handle)
        })
        sftp.on('WRITE', (request, handle, offset, data) => {
          const file = open.get(handle.readUInt32BE())
          if (file === undefined) return sftp.status(request, STATUS_CODE.FAILURE)
          writes += 1
          if (writes === hangUpAtWrite) return client.end()
          waiting += 1
          mostInFlight = Math.max(mostInFlight, waiting)
          if (file.data.length < offset + data.length) file.data = Buffer.concat([file.data, Buffer.alloc(offset + data.length - file.data.length)])
          data.copy(file.data, offset)
          if (silentAfterWrites !== undefined && writes > silentAfterWrites) return
          // Answered later, so that a client that waits for each answer would be seen to.
          setImmediate(() => {
            waiting -= 1
            sftp.status(request, STATUS_CODE.OK)
          })
        })
        sftp.on('CLOSE', (request, handle) => {
          const file = open.get(handle.readUInt32BE())
          if (file === undefined || refuseClose === true) return sftp.status(request, STATUS_CODE.FAILURE, 'No space left on device')
          files.set(file.path, file.data)
          sftp.status(request, STATUS_CODE.OK)
        })
      })
    })
  })
  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve) })
  t.teardown(async () => { await new Promise<void>((resolve) => { server.close(() => { resolve() }) }) })
  const { port } = server.address() as { port: number }
  return { port, hostKeyFingerprint: fingerprintOf(hostKey.getPublicSSH()), key, user: 'acme', files, mostInFlight: () => mostInFlight }
}
