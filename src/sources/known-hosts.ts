/**
 * OpenSSH's known_hosts (sshd(8), "SSH_KNOWN_HOSTS FILE FORMAT"): the keys that a file has for one server.
 *
 *   [@revoked|@cert-authority] host,*.example.com,!not-this.example.com,[host]:2222  type  base64  comment
 *   |1|salt|hash  type  base64                           (ssh-keygen -H: HMAC-SHA1 of one name)
 *
 * A server at port 22 is its name, at any other `[name]:port`. OpenSSH passes over a line that it cannot read; here it is an error,
 * for it might be the one that revokes a key.
 */
import { createHmac } from 'node:crypto'
import { keyTypeOf } from '../domain/ssh-public-key.js'

export interface KnownKeys {
  /** As they are sent. */
  trusted: Buffer[]
  /** Never to be trusted, whatever other lines say. */
  revoked: Buffer[]
  /** Lines of @cert-authority. Certificates of hosts are not supported. */
  authorities: number
}

interface Line {
  marker: string | undefined
  hosts: string
  key: Buffer
}

const sshPort = 22

/** Throws an Error that names the line which cannot be read. */
export function findKnownKeys (text: string, host: string, port: number): KnownKeys {
  const name = (port === sshPort ? host : `[${host}]:${port}`).toLowerCase()
  const lines = text.split('\n').flatMap((line, index) => {
    const trimmed = line.trim()
    return trimmed === '' || trimmed.startsWith('#') ? [] : [parseLine(trimmed, index + 1)]
  }).filter(({ hosts }) => isNamed(hosts, name))
  const keysOf = (wanted: string | undefined): Buffer[] => lines.filter(({ marker }) => marker === wanted).map(({ key }) => key)
  return { trusted: keysOf(undefined), revoked: keysOf('@revoked'), authorities: keysOf('@cert-authority').length }
}

function parseLine (text: string, number: number): Line {
  const fields = text.split(/[ \t]+/)
  const marker = fields[0]?.startsWith('@') === true ? fields.shift() : undefined
  const [hosts = '', type = '', base64 = ''] = fields
  const key = Buffer.from(base64, 'base64')
  const isReadable = (marker === undefined || marker === '@revoked' || marker === '@cert-authority') &&
    (!hosts.startsWith('|') || hashedPattern.test(hosts)) && type !== '' && keyTypeOf(key) === type
  if (!isReadable) throw new Error(`line ${number} holds no host key`)
  return { marker, hosts, key }
}

const hashedPattern = /^\|1\|([A-Za-z0-9+/]+=*)\|([A-Za-z0-9+/]+=*)$/

function isNamed (hosts: string, name: string): boolean {
  const [, salt, hash] = hashedPattern.exec(hosts) ?? []
  if (salt !== undefined && hash !== undefined) {
    return createHmac('sha1', Buffer.from(salt, 'base64')).update(name).digest().equals(Buffer.from(hash, 'base64'))
  }
  const patterns = hosts.toLowerCase().split(',')
  if (patterns.some((pattern) => pattern.startsWith('!') && fits(pattern.slice(1), name))) return false
  return patterns.some((pattern) => fits(pattern, name))
}

/** `*` stands for any characters, `?` for one. */
function fits (pattern: string, name: string): boolean {
  const source = pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&').replace(/\*+/g, '.*').replaceAll('?', '.')
  return new RegExp(`^${source}$`).test(name)
}
