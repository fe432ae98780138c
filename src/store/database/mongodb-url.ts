/**
 * What MONGODB_URL may hold. The driver honours hosts, credentials, TLS, mongodb+srv and most options as they stand; some the service overrides, or relies on
 * another way: those are refused with the reason, for to pass over them in silence would be worse.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** Where it is written, as it is or by the path of a file. */
export type MongodbUrlVariable = 'MONGODB_URL' | 'MONGODB_URL_FILE'

export const mongodbUrlExample = 'mongodb://catalog:p%40ss@db-0.example.com:27017,db-1.example.com:27017/catalog?replicaSet=rs0&tls=true&tlsCAFile=/etc/catalog/ca.pem'
export const mongodbSrvUrlExample = 'mongodb+srv://catalog:p%40ss@cluster.example.com/catalog'
const x509UrlExample = 'mongodb://db-0.example.com:27017,db-1.example.com:27017/catalog?replicaSet=rs0&authMechanism=MONGODB-X509&tls=true&tlsCAFile=/etc/catalog/ca.pem&tlsCertificateKeyFile=/run/secrets/catalog/client.pem'

/** By option's name in lower case, as the driver compares them: the one value that is taken (null: none), and why. */
const refused: Readonly<Record<string, { only: string | null, reason: string }>> = {
  w: { only: 'majority', reason: 'what the service has acknowledged is on a majority of the members' },
  j: { only: 'true', reason: 'what the service has acknowledged is in the journal' },
  journal: { only: 'true', reason: 'what the service has acknowledged is in the journal' },
  fsync: { only: null, reason: 'what the service has acknowledged is in the journal' },
  wtimeout: { only: null, reason: 'a write that is not acknowledged yet is waited for' },
  wtimeoutms: { only: null, reason: 'a write that is not acknowledged yet is waited for' },
  retrywrites: { only: 'true', reason: 'a write that was cut off is sent again' },
  readpreference: { only: 'primary', reason: 'what was just written has to be read' },
  readpreferencetags: { only: null, reason: 'reads go to the primary' },
  maxstalenessseconds: { only: null, reason: 'reads go to the primary' },
  appname: { only: null, reason: 'the service says which part of it is connected' },
  maxpoolsize: { only: null, reason: 'each part of the service has as many connections as it needs' },
  sockettimeoutms: { only: null, reason: 'operations have times of their own' },
  timeoutms: { only: null, reason: 'operations have times of their own' },
  serverselectiontimeoutms: { only: null, reason: 'a database that is away is waited for' },
  tlsinsecure: { only: 'false', reason: 'anybody on the way could read and change everything; give the authority in tlsCAFile' },
  tlsallowinvalidcertificates: { only: 'false', reason: 'anybody on the way could read and change everything; give the authority in tlsCAFile' },
  tlsallowinvalidhostnames: { only: 'false', reason: 'anybody with a certificate of that authority could take the server\'s place' }
}
const readConcerns = ['local', 'majority']
const needTls = ['tlscafile', 'tlscertificatekeyfile', 'tlscertificatekeyfilepassword', 'tlscrlfile']
const x509 = 'MONGODB-X509'

/** What is wrong, without any secret, and an example that works; undefined where nothing is. Looks at the files that are named. */
export function faultOfMongodbUrl (url: string): string | undefined {
  const fault = faultOf(url)
  return fault === undefined ? undefined : `${fault}; one that works is ${exampleLike(url)}`
}

function exampleLike (url: string): string {
  if (/[?&]authMechanism=MONGODB-X509(?:&|$)/i.test(url)) return x509UrlExample
  return url.startsWith('mongodb+srv:') ? mongodbSrvUrlExample : mongodbUrlExample
}

function faultOf (url: string): string | undefined {
  const [, scheme = '', user = '', hosts = '', query = ''] = /^mongodb(\+srv)?:\/\/(?:(.*)@)?([^/?#@]*)(?:\/[^?]*)?(?:\?(.*))?$/s.exec(url) ?? []
  if (hosts === '') return 'it names no host'
  if (/[@/]/.test(user) || (user.match(/:/g)?.length ?? 0) > 1 || /%(?![0-9a-f]{2})/i.test(user)) return 'user and password must be percent-encoded, @ as %40, : as %3A, / as %2F and % as %25'
  const isSrv = scheme !== ''
  if (isSrv && /[,:]/.test(hosts)) return 'mongodb+srv takes one host, without a port'
  const wrongHost = hosts.split(',').find((host) => !/^(\[[0-9a-f:.]+\]|[^:\s[\]]+)(:\d{1,5})?$/i.test(host))
  if (wrongHost !== undefined) return `"${wrongHost}" is no host:port`
  const options = new Map(Array.from(new URLSearchParams(query), ([name, value]) => [name.toLowerCase(), { name, value }]))
  for (const [key, { name, value }] of options) {
    const rule = refused[key]
    if (rule !== undefined && value !== rule.only) return `${name}=${value} is not possible: ${rule.reason}`
  }
  const level = options.get('readconcernlevel')
  if (level !== undefined && !readConcerns.includes(level.value)) return `${level.name} must be ${readConcerns.join(' or ')}`
  const hasTls = isSrv ? options.get('tls')?.value !== 'false' : ['tls', 'ssl'].some((name) => options.get(name)?.value === 'true')
  const idle = hasTls ? undefined : needTls.map((name) => options.get(name)).find((option) => option !== undefined)
  if (idle !== undefined) return `${idle.name} means nothing without tls=true`
  if (options.get('authmechanism')?.value === x509) {
    if (!hasTls || !options.has('tlscertificatekeyfile')) return `authMechanism=${x509} needs tls=true and tlsCertificateKeyFile, a file with our certificate and its key`
    if (user.includes(':')) return `authMechanism=${x509} takes no password: the certificate is the login`
    const source = options.get('authsource')
    if (source !== undefined && source.value !== '$external') return `${source.name} must be $external with authMechanism=${x509}, or left out`
  }
  for (const [name, mustHold] of [['tlscafile', 'CERTIFICATE'], ['tlscertificatekeyfile', 'CERTIFICATE'], ['tlscertificatekeyfile', 'PRIVATE KEY']] as const) {
    const option = options.get(name)
    const wrong = option === undefined ? undefined : faultOfPem(option.value, mustHold)
    if (wrong !== undefined) return `${option?.name ?? name}=${option?.value ?? ''} ${wrong}`
  }
  const pair = options.get('tlscertificatekeyfile')
  const wrong = pair === undefined ? undefined : faultOfPair(pair.value, options.get('tlscertificatekeyfilepassword')?.value)
  return wrong === undefined ? undefined : `${pair?.name ?? ''}=${pair?.value ?? ''} ${wrong}`
}

/** Of a file that holds both. The driver says nothing of such: it is as if the server were away. */
function faultOfPair (path: string, passphrase: string | undefined): string | undefined {
  const text = readFileSync(path, 'utf8')
  let key
  try {
    key = createPrivateKey(passphrase === undefined ? text : { key: text, passphrase })
  } catch {
    return /ENCRYPTED/.test(text) ? 'holds a key that is encrypted: tlsCertificateKeyFilePassword must be its password' : 'holds no private key that can be read'
  }
  return new X509Certificate(text).checkPrivateKey(key) ? undefined : 'holds a certificate and the key of another'
}

function faultOfPem (path: string, mustHold: 'CERTIFICATE' | 'PRIVATE KEY'): string | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    return `cannot be read (${(error as NodeJS.ErrnoException).code ?? ''})`
  }
  if (!new RegExp(`-----BEGIN (\\w+ )?${mustHold}-----`).test(text)) return `holds no ${mustHold.toLowerCase()} in PEM`
  if (mustHold === 'PRIVATE KEY') return undefined
  try {
    const { validTo } = new X509Certificate(text)
    return new Date(validTo).getTime() < Date.now() ? `holds a certificate that has expired (${validTo})` : undefined
  } catch {
    return 'holds no certificate in PEM'
  }
}
