/** How much room an embedded database wants to have on its disk, to end in time when others, or itself, fill that. */
import { statfs } from 'node:fs/promises'

/** More than is written between two looks at it (storage-watch): at some hundred MB a second by a database, at a GB by whatever else writes there. */
export const needsRoomBytes = 256 * 2 ** 20

/** What a user who is not root may still write. Rejects as `statfs` does. */
export async function roomBytes (path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path)
  return bavail * bsize
}

export const isDiskNearlyFull = (roomBytes: number): boolean => roomBytes < needsRoomBytes
