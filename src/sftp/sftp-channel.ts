/** One SFTP channel: the wire's requests turned into calls on the file tree, and their results into answers. */
import type { Socket } from 'node:net'
import ssh2, { type FileEntry, type SFTPWrapper } from 'ssh2'
import type { Logger } from 'pino'
import { attributesOf, entryOf, fileNode, folderNode, type Node } from './attributes.js'
import type { FileTree, Listing } from './file-tree.js'
import { createHandles, type Handle } from './handles.js'
import type { Identity } from './identity.js'
import type { SftpLimits } from './limits.js'
import { createRequestQueue } from './request-queue.js'
import { endSuccessfully } from './ssh2-internals.js'
import { failure, permissionDenied, SftpFailure, status, toSftpFailure } from './sftp-failure.js'
import { canonicalPath, placeOf } from './virtual-path.js'

const { OPEN_MODE } = ssh2.utils.sftp
/** Names of up to 255 bytes, twice each, and attributes: at most 60 KiB of the 256 KiB that a packet may have. */
const entriesPerAnswer = 100

export interface SftpChannelOptions {
  sftp: SFTPWrapper
  socket: Socket
  identity: Identity
  tree: FileTree
  limits: SftpLimits
  log: Logger
  /** Called at every request, for the connection's idle timer. */
  onRequest: () => void
  /** The client sends more than it may; the connection has to go. */
  onOverflow: () => void
  /** An error that is no answer to a request; the connection has to go. */
  onError: (error: unknown) => void
  /** Requests wait for it. Never rejects. */
  ready: Promise<void>
}

export interface SftpChannel {
  /** Closes the channel once the requests that came so far are answered. */
  finish (): void
  /** Drops the requests that wait and discards what is open. Can be called again, and waits for the same. */
  close (): Promise<void>
}

export function serveSftpChannel (options: SftpChannelOptions): SftpChannel {
  const { sftp, socket, identity, tree, limits, log, onRequest, onOverflow, onError, ready } = options
  const handles = createHandles(limits.maxOpenHandles)
  const queue = createRequestQueue({ sftp, socket, onOverflow, onError })
  queue.add(0, async () => await ready)

  const answer = (id: number, work: () => Promise<void>, dataBytes = 0): void => {
    onRequest()
    queue.add(dataBytes, async () => {
      try {
        await work()
      } catch (error) {
        const refusal = toSftpFailure(error)
        if (refusal.cause !== undefined) log.debug({ err: refusal.cause }, 'SFTP request failed')
        sftp.status(id, refusal.status, refusal.message)
      }
    })
  }
  const ok = (id: number): void => sftp.status(id, status.OK)
  const statPath = async (path: string): Promise<Node> => {
    // A file that this channel is uploading is answered for before it is there: some clients check its size.
    const place = placeOf(identity, path)
    const upload = place.kind === 'file' ? handles.uploadOf(place.vendorId, place.name) : undefined
    return upload === undefined ? await tree.stat(path) : fileNode(await upload.stat())
  }
  const sendStat = (id: number, path: string): void => answer(id, async () => sftp.attrs(id, attributesOf(await statPath(path))))

  sftp.on('OPEN', (id, path, flags) => answer(id, async () => {
    sftp.handle(id, await handles.add(async () => await open(tree, path, flags, limits)))
  }))
  sftp.on('OPENDIR', (id, path) => answer(id, async () => {
    sftp.handle(id, await handles.add(async () => ({ kind: 'folder', listing: await tree.list(path) })))
  }))
  sftp.on('READ', (id, name, offset, length) => answer(id, async () => {
    const data = await read(handles.get(name), offset, Math.min(length, limits.maxReadBytes))
    if (data.length === 0) sftp.status(id, status.EOF, 'End of file')
    else sftp.data(id, data)
  }))
  sftp.on('WRITE', (id, name, offset, data) => answer(id, async () => {
    const handle = handles.get(name)
    if (handle.kind !== 'upload') throw permissionDenied('Not open for writing')
    await handle.upload.write(offset, data)
    ok(id)
  }, data.length))
  sftp.on('READDIR', (id, name) => answer(id, async () => {
    const handle = handles.get(name)
    if (handle.kind !== 'folder') throw failure('Not a directory')
    const entries = await nextEntries(handle.listing)
    if (entries.length === 0) sftp.status(id, status.EOF, 'End of folder')
    else sftp.name(id, entries)
  }))
  sftp.on('FSTAT', (id, name) => answer(id, async () => sftp.attrs(id, attributesOf(await statHandle(handles.get(name))))))
  sftp.on('CLOSE', (id, name) => answer(id, async () => {
    await close(handles.take(name), log)
    ok(id)
  }))
  sftp.on('STAT', sendStat)
  sftp.on('LSTAT', sendStat)
  sftp.on('REALPATH', (id, path) => answer(id, async () => sftp.name(id, [entryOf(canonicalPath(path), folderNode())])))
  // Times and modes are taken politely and dropped: the modification time is the time of upload by this clock, which retention counts from.
  sftp.on('SETSTAT', (id, path, attributes) => answer(id, async () => {
    await statPath(path)
    if (attributes.size !== undefined) throw permissionDenied('Size cannot be set')
    ok(id)
  }))
  sftp.on('FSETSTAT', (id, name, attributes) => answer(id, async () => {
    const handle = handles.get(name)
    if (attributes.size !== undefined) {
      if (handle.kind !== 'upload') throw permissionDenied('Not open for writing')
      await handle.upload.truncate(attributes.size)
    }
    ok(id)
  }))
  sftp.on('REMOVE', (id, path) => answer(id, async () => {
    await tree.remove(path)
    log.info({ path: canonicalPath(path) }, 'file deleted over SFTP')
    ok(id)
  }))
  sftp.on('RENAME', (id, from, to) => answer(id, async () => {
    await tree.rename(from, to, { replace: false })
    ok(id)
  }))
  sftp.on('EXTENDED', (id, name, data) => answer(id, async () => {
    if (name !== 'posix-rename@openssh.com') throw new SftpFailure(status.OP_UNSUPPORTED, 'Operation unsupported')
    const [from, to] = readStrings(data)
    if (from === undefined || to === undefined) throw new SftpFailure(status.BAD_MESSAGE, 'Bad message')
    await tree.rename(from, to, { replace: true })
    ok(id)
  }))
  for (const event of ['MKDIR', 'RMDIR'] as const) {
    sftp.on(event as 'RMDIR', (id, path) => answer(id, async () => tree.refuseFolderChange(path)))
  }
  for (const event of ['SYMLINK', 'READLINK'] as const) {
    sftp.on(event as 'READLINK', (id) => answer(id, async () => { throw permissionDenied('There are no links here') }))
  }

  let closing: Promise<void> | undefined
  const closeAll = async (): Promise<void> => {
    await queue.close()
    for (const error of await handles.discardAll()) log.warn({ err: error }, 'could not discard an open SFTP file')
  }

  return {
    finish: () => queue.add(0, async () => endSuccessfully(sftp)),
    close: async () => await (closing ??= closeAll())
  }
}

async function open (tree: FileTree, path: string, flags: number, limits: SftpLimits): Promise<Handle> {
  const has = (mode: number): boolean => (flags & mode) !== 0
  if (!has(OPEN_MODE.WRITE | OPEN_MODE.APPEND | OPEN_MODE.CREAT | OPEN_MODE.TRUNC)) {
    return { kind: 'file', file: await tree.openToRead(path) }
  }
  const upload = await tree.openToWrite(path, {
    create: has(OPEN_MODE.CREAT),
    exclusive: has(OPEN_MODE.CREAT) && has(OPEN_MODE.EXCL),
    truncate: has(OPEN_MODE.TRUNC),
    append: has(OPEN_MODE.APPEND),
    maxFileBytes: limits.maxFileBytes
  })
  return { kind: 'upload', upload }
}

async function read (handle: Handle, offset: number, length: number): Promise<Buffer> {
  if (handle.kind === 'folder') throw failure('Is a directory')
  if (!Number.isSafeInteger(offset)) throw failure('Offset out of range')
  const buffer = Buffer.allocUnsafe(length)
  const count = handle.kind === 'upload'
    ? await handle.upload.read(buffer, offset)
    : (await handle.file.read(buffer, 0, length, offset)).bytesRead
  return buffer.subarray(0, count)
}

async function statHandle (handle: Handle): Promise<Node> {
  switch (handle.kind) {
    case 'file': return fileNode(await handle.file.stat())
    case 'upload': return fileNode(await handle.upload.stat())
    case 'folder': return folderNode()
  }
}

async function close (handle: Handle, log: Logger): Promise<void> {
  switch (handle.kind) {
    case 'file': return await handle.file.close()
    case 'folder': await handle.listing.return(undefined); return
    case 'upload': {
      const { size } = await handle.upload.stat()
      await handle.upload.publish()
      log.info({ file: handle.upload.place.name, bytes: size }, 'file uploaded over SFTP')
    }
  }
}

async function nextEntries (listing: Listing): Promise<FileEntry[]> {
  const entries: FileEntry[] = []
  while (entries.length < entriesPerAnswer) {
    const next = await listing.next()
    if (next.done === true) break
    entries.push(entryOf(next.value.name, next.value.node))
  }
  return entries
}

/** SSH strings, each after its length in 4 bytes. Stops at the first that is cut off. */
function readStrings (data: Buffer | undefined): string[] {
  const strings: string[] = []
  if (data === undefined) return strings
  for (let at = 0; at + 4 <= data.length;) {
    const end = at + 4 + data.readUInt32BE(at)
    if (end > data.length) break
    strings.push(data.toString('utf8', at + 4, end))
    at = end
  }
  return strings
}
