/** What is told about a file or folder: SFTP attributes, and the line that `ls -l` would print. */
import type { Attributes, FileEntry } from 'ssh2'

export interface Node {
  kind: 'file' | 'folder'
  size: number
  modifiedAtMs: number
}

/** Folders are fixed and have no time of their own. */
export const folderNode = (): Node => ({ kind: 'folder', size: 0, modifiedAtMs: Date.now() })
export const fileNode = (stats: { size: number, mtimeMs: number }): Node =>
  ({ kind: 'file', size: stats.size, modifiedAtMs: stats.mtimeMs })

const fileMode = 0o100644
const folderMode = 0o040755
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** The owner is no one of this machine: users here are vendors, not accounts. */
export function attributesOf ({ kind, size, modifiedAtMs }: Node): Attributes {
  const seconds = Math.floor(modifiedAtMs / 1000)
  return { mode: kind === 'file' ? fileMode : folderMode, uid: 0, gid: 0, size, atime: seconds, mtime: seconds }
}

export function entryOf (name: string, node: Node, nowMs = Date.now()): FileEntry {
  const mode = node.kind === 'file' ? '-rw-r--r--' : 'drwxr-xr-x'
  const size = String(node.size).padStart(12)
  return {
    filename: name,
    longname: `${mode}    1 catalog  catalog  ${size} ${listedTime(node.modifiedAtMs, nowMs)} ${name}`,
    attrs: attributesOf(node)
  }
}

/** As ls does: the time of day within half a year, else the year. UTC. */
function listedTime (timeMs: number, nowMs: number): string {
  const date = new Date(timeMs)
  const day = `${months[date.getUTCMonth()] ?? ''} ${String(date.getUTCDate()).padStart(2)}`
  const isRecent = Math.abs(nowMs - timeMs) < 182 * 24 * 3_600_000
  return `${day} ${isRecent ? date.toISOString().slice(11, 16) : String(date.getUTCFullYear()).padStart(5)}`
}
