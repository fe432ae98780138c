import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Writes an executable shell script. Its PATH is the machine's, whatever PATH the code under test searches. */
export async function stubProgram (path: string, script = 'exit 0'): Promise<string> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, `#!/bin/sh\nPATH='${process.env['PATH'] ?? ''}'\n${script}\n`)
  await chmod(path, 0o755)
  return path
}
