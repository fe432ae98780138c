/** Takes whatever is secret out of what is printed: messages of drivers and servers are foreign text, and may repeat what they were given. */
import { readFile } from 'node:fs/promises'

const named = ['AUTH_JWT_SECRET', 'KAFKA_SASL_PASSWORD'] as const
const inFiles = ['AUTH_JWT_SECRET_FILE', 'KAFKA_SASL_PASSWORD_FILE', 'SFTP_PRIVATE_KEY_FILE', 'KAFKA_SSL_KEY_FILE', 'KAFKA_PROPERTIES_FILE'] as const
const headers = 'OTEL_EXPORTER_OTLP_HEADERS'
/** Shorter pieces are words like any other: to take them out would only tell that they are secret. */
const minLength = 4

/** Everything that must not be seen, longest first: a piece may be part of another. */
export async function readSecrets (env: NodeJS.ProcessEnv): Promise<string[]> {
  const urls = [env['MONGODB_URL'], await textOf(env['MONGODB_URL_FILE'])]
  const ofCollector = [env[headers], await textOf(env[`${headers}_FILE`])]
  const values = [...urls.flatMap((url = '') => passwordsIn(url)), ...named.map((name) => env[name] ?? ''), ...ofCollector.flatMap((text = '') => headersIn(text))]
  const texts = await Promise.all(inFiles.map(async (name) => await textOf(env[name])))
  // The lines of a key, and the values of a file of properties.
  const lines = texts.flatMap((text) => text.split(/\r?\n/).flatMap((line) => [line.trim(), line.replace(/^[^=]*=\s*/, '').trim()]))
  return [...new Set([...values, ...lines])].filter((text) => text.length >= minLength && !text.startsWith('-----')).sort((a, b) => b.length - a.length)
}

export const withoutSecrets = (text: string, secrets: readonly string[]): string => secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text)

const textOf = async (file = ''): Promise<string> => file === '' ? '' : await readFile(file, 'utf8').catch(() => '')

/** `name=value,…`: each value as it is written, and as it is meant. */
const headersIn = (text: string): string[] => text.split(',').flatMap((pair) => asMeant(pair.slice(pair.indexOf('=') + 1).trim()))

/** As it is written, and as it is meant; a URL that cannot be read is secret as a whole. */
function passwordsIn (url: string): string[] {
  const [, password] = /^mongodb(?:\+srv)?:\/\/[^:@/]*:([^/]*)@/.exec(url) ?? []
  return password === undefined ? [] : asMeant(password)
}

function asMeant (text: string): string[] {
  try {
    return [text, decodeURIComponent(text)]
  } catch {
    return [text]
  }
}
