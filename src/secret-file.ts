/** What a variable named …_FILE leads to: text that does not stand in the environment, such as a mounted secret. */
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { ConfigError } from './environment.js'

/** A bundle of all authorities of an operating system has some 200 KiB. */
const maxBytes = 4 * 1024 * 1024

/** Variables that are either given as they are or by a file that is read once, at the start. */
const readAtStart = ['MONGODB_URL', 'AUTH_JWT_SECRET', 'OTEL_EXPORTER_OTLP_HEADERS'] as const

/** The environment with what such files hold. Throws ConfigError. */
export function withSecretFiles (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const read = readAtStart.flatMap((name) => {
    const variable = `${name}_FILE`
    const file = env[variable] ?? ''
    if (file === '') return []
    if ((env[name] ?? '') !== '') throw onlyOneOf(name)
    return [[name, secretOf(variable, file, readTextSync(variable, file))]]
  })
  return { ...env, ...Object.fromEntries(read) as NodeJS.ProcessEnv }
}

export const onlyOneOf = (name: string): ConfigError => new ConfigError(`Set only one of ${name} and ${name}_FILE`)

/** For what may change while we run. Throws ConfigError. */
export const readSecret = async (variable: string, file: string): Promise<string> => secretOf(variable, file, await readText(variable, file))

/** Editors and `echo` end a file with a line break, which is no part of a secret. */
function secretOf (variable: string, file: string, text: string): string {
  const secret = text.replace(/\r?\n$/, '')
  if (secret === '') throw new ConfigError(`${variable} must be the path of a file that is not empty, and ${file} is; for example printf %s "$secret" > ${file}`)
  return secret
}

/** Throws ConfigError. */
export async function readText (variable: string, file: string): Promise<string> {
  try {
    const handle = await open(file)
    try {
      checkSize((await handle.stat()).size)
      return await handle.readFile('utf8')
    } finally {
      await handle.close()
    }
  } catch (error) {
    throw unreadable(variable, file, error)
  }
}

function readTextSync (variable: string, file: string): string {
  try {
    const handle = openSync(file, 'r')
    try {
      checkSize(fstatSync(handle).size)
      return readFileSync(handle, 'utf8')
    } finally {
      closeSync(handle)
    }
  } catch (error) {
    throw unreadable(variable, file, error)
  }
}

function checkSize (bytes: number): void {
  if (bytes > maxBytes) throw new Error(`it has ${bytes} bytes, and at most ${maxBytes} are read`)
}

const unreadable = (variable: string, file: string, error: unknown): ConfigError =>
  new ConfigError(`${variable} must be the path of a file that can be read, and ${file} cannot: ${error instanceof Error ? error.message : String(error)}`)
