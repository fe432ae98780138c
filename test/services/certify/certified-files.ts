/** Which test files look at the service through servers that somebody has given. */
import { readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const testFolder = fileURLToPath(new URL('../../', import.meta.url))
const serviceTest = /^(?:import|api)-.*\.test\.js$/

/** Those that speak to a server themselves, by other ways than somebody's own may have: the service tests alone have these. */
const notElsewhere: ReadonlyMap<string, string> = new Map([
  ['import-hints-are-only-hints', 'makes a topic of its own, which certify does not know of'],
  ['import-order', 'makes a topic of its own, which certify does not know of'],
  ['import-outlasts-database', 'puts a proxy in front of one member of the database']
])
const notOverSftp: ReadonlyMap<string, string> = new Map([['api-file-uploads', 'looks at a partial file in the folder of the SFTP server']])

const pathOf = (...names: string[]): string => relative(process.cwd(), join(testFolder, ...names))

/** The system tests of imports and the API, of which a file has one subject. */
export async function systemTests (): Promise<string[]> {
  return (await readdir(join(testFolder, 'system'))).filter((name) => serviceTest.test(name)).map((name) => pathOf('system', name))
}

const throughput = pathOf('services', 'throughput.test.js')

/** Those that may run on somebody's own servers; `named` (as `import-dry-run`) some of them, in that order. Throws an Error that names one that there is not. */
export async function certifiedTests ({ named = [], isSftpGiven }: { named?: readonly string[], isSftpGiven: boolean }): Promise<string[]> {
  const all = [...await systemTests(), throughput].filter((path) => !notElsewhere.has(nameOf(path)) && !(isSftpGiven && notOverSftp.has(nameOf(path))))
  const unknown = named.find((name) => !all.some((path) => nameOf(path) === name))
  if (unknown !== undefined) throw new Error(`${wordName(unknown)} is no test for servers of one's own; there are ${all.map(nameOf).join(', ')}`)
  return named.length === 0 ? all : all.filter((path) => named.includes(nameOf(path))).sort((a, b) => named.indexOf(nameOf(a)) - named.indexOf(nameOf(b)))
}

/** What looks like none may be a URL with a password whose option was forgotten. */
const wordName = (name: string): string => /^[a-z][a-z0-9-]{0,60}$/.test(name) ? `"${name}"` : 'an argument without an option'

/** `import-dry-run` */
export const nameOf = (path: string): string => path.replace(/^.*\//, '').replace(/\.test\.js$/, '')
