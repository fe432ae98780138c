/** Folders and files on an SFTP server of somebody's own, which tests see over SFTP alone: with the service's own login, and its care for the server's key. */
import { readFile } from 'node:fs/promises'
import { posix } from 'node:path'
import ssh2, { type SFTPWrapper } from 'ssh2'
import { loadConfig } from '../../src/config.js'
import { readHostKeyCheck, type TrustedHostKeys } from '../../src/sources/host-keys.js'
import { parseSftpUrl } from '../../src/sources/sftp-url.js'

export interface SftpLogin { host: string, port: number, user: string, privateKeyFile: string, hostKeys: TrustedHostKeys }

/** Of the variables SFTP_…; the folder is the one below which vendors have theirs. Throws what is wrong with them. */
export function sftpLoginOf (env: NodeJS.ProcessEnv): { login: SftpLogin, folder: string } {
  const { sftpUrl = '', sftpPrivateKeyFile: privateKeyFile = '', sftpHostKeys: hostKeys = { fingerprints: [] } } = loadConfig(env)
  const { host, port, userTemplate: user, locate } = parseSftpUrl(sftpUrl)
  // `<folder>/<vendor>/incoming`, of any vendor.
  const folder = posix.dirname(posix.dirname(locate('any').incoming))
  return { login: { host, port, user, privateKeyFile, hostKeys }, folder }
}

const loginTimeoutMs = 10_000
const noSuchFile = 2

type Answer<T> = (error: Error | null | undefined, value?: T) => void

async function withSftp<T> ({ host, port, user: username, privateKeyFile, hostKeys }: SftpLogin, work: (sftp: SFTPWrapper) => Promise<T>): Promise<T> {
  const { algorithms, refusalOf } = await readHostKeyCheck(hostKeys, host, port)
  const privateKey = await readFile(privateKeyFile)
  const client = new ssh2.Client()
  try {
    const lost = new Promise<never>((_resolve, reject) => {
      client.on('error', reject).on('close', () => { reject(new Error('The connection to the SFTP server was closed')) })
    })
    lost.catch(() => {})
    const opened = new Promise<SFTPWrapper>((resolve, reject) => {
      client.on('ready', () => { client.sftp((error, sftp) => { if (error) reject(error); else resolve(sftp) }) })
    })
    client.connect({ host, port, username, privateKey, readyTimeout: loginTimeoutMs, algorithms: { serverHostKey: algorithms }, hostVerifier: (key: Buffer) => refusalOf(key) === undefined })
    const sftp = await Promise.race([opened, lost])
    return await Promise.race([work(sftp), lost])
  } finally {
    client.destroy()
  }
}

const answer = async <T>(ask: (done: Answer<T>) => void): Promise<T> =>
  await new Promise((resolve, reject) => { ask((error, value) => { if (error) reject(error); else resolve(value as T) }) })

const isMissing = (error: unknown): boolean => (error as { code?: unknown }).code === noSuchFile

/** With those above it. Rejects when one is not there afterwards. */
export async function makeRemoteFolders (login: SftpLogin, path: string): Promise<void> {
  await withSftp(login, async (sftp) => {
    const names = path.split('/').filter((name) => name !== '')
    for (let depth = 1; depth <= names.length; depth++) {
      const folder = `${path.startsWith('/') ? '/' : ''}${names.slice(0, depth).join('/')}`
      // One that is there is refused with a code that says nothing.
      await answer<undefined>((done) => { sftp.mkdir(folder, done) }).catch(async (error: unknown) => {
        const isThere = await answer((done) => { sftp.stat(folder, done) }).then(() => true, () => false)
        if (!isThere) throw new Error(`${folder}: ${(error as Error).message}`, { cause: error })
      })
    }
  })
}

export async function writeRemoteFile (login: SftpLogin, path: string, content: string | Buffer): Promise<void> {
  await withSftp(login, async (sftp) => { await answer<undefined>((done) => { sftp.writeFile(path, content, done) }) })
}

export async function removeRemoteFile (login: SftpLogin, path: string): Promise<void> {
  await withSftp(login, async (sftp) => { await answer<undefined>((done) => { sftp.unlink(path, done) }) })
}

/** With all that is in it; one that is missing is fine. */
export async function removeRemoteFolder (login: SftpLogin, path: string): Promise<void> {
  await withSftp(login, async (sftp) => {
    const remove = async (folder: string): Promise<void> => {
      const entries = await answer<Array<{ filename: string, attrs: { isDirectory: () => boolean } }>>((done) => { sftp.readdir(folder, done) }).catch((error: unknown) => {
        if (isMissing(error)) return null
        throw error
      })
      if (entries === null) return
      for (const { filename, attrs } of entries) {
        const each = posix.join(folder, filename)
        if (attrs.isDirectory()) await remove(each)
        else await answer<undefined>((done) => { sftp.unlink(each, done) })
      }
      await answer<undefined>((done) => { sftp.rmdir(folder, done) })
    }
    await remove(path)
  })
}
