import { readdir, readFile } from 'node:fs/promises'

/** The living descendants of a process, from /proc: of those that started them, not of those that adopted them later. */
export async function descendantsOf (pid: number): Promise<number[]> {
  const parents = new Map<number, number>()
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    // A process may end between the two calls.
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
    // "pid (name) state ppid …": the name may hold anything, so count from its last parenthesis.
    parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
  }
  const found = [pid]
  for (const ancestor of found) {
    for (const [child, parent] of parents) if (parent === ancestor) found.push(child)
  }
  return found.slice(1)
}

export function killIfThere (pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
