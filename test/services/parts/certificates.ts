/** A certificate authority for the time of a test, and what it signs. Made with openssl, which Node has no like of. */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findOnPath } from '../../../src/embedded/search-path.js'

export interface CertificateAuthority {
  caFile: string
  /** Key and certificate for 127.0.0.1, localhost and hosts in catalog.test, of the subject `name`. With `expired`, one that was valid yesterday. */
  issue (name: string, options?: { expired?: boolean }): Promise<{ keyFile: string, certificateFile: string }>
}

const day = 24 * 60 * 60 * 1_000

/** `folder` exists and is the authority's own. */
export async function createCertificateAuthority (folder: string): Promise<CertificateAuthority> {
  const program = await findOnPath('openssl', process.env)
  if (program === undefined) throw new Error('Certificates are made with openssl: put it on the PATH (Debian: apt-get install openssl)')
  const openssl = async (...args: string[]): Promise<void> => { await promisify(execFile)(program, args, { cwd: folder }) }

  await writeFile(join(folder, 'database'), '')
  await writeFile(join(folder, 'ca.cnf'), configuration)
  await openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '3650', '-subj', '/CN=test authority')
  let issued = 0
  return {
    caFile: join(folder, 'ca.pem'),
    async issue (name, { expired = false } = {}) {
      issued += 1
      const file = `${name}-${issued}`
      await openssl('req', '-newkey', 'rsa:2048', '-nodes', '-keyout', `${file}.key`, '-out', `${file}.csr`, '-subj', `/CN=${name}`)
      const end = Date.now() + (expired ? -day : day)
      await openssl('ca', '-batch', '-notext', '-config', 'ca.cnf', '-in', `${file}.csr`, '-out', `${file}.pem`,
        '-startdate', asTime(end - 2 * day), '-enddate', asTime(end))
      return { keyFile: join(folder, `${file}.key`), certificateFile: join(folder, `${file}.pem`) }
    }
  }
}

/** YYYYMMDDHHMMSSZ */
const asTime = (ms: number): string => `${new Date(ms).toISOString().replaceAll(/[-:T]/g, '').slice(0, 14)}Z`

const configuration = `
[ca]
default_ca = authority
[authority]
database = database
new_certs_dir = .
certificate = ca.pem
private_key = ca.key
default_md = sha256
policy = any
unique_subject = no
rand_serial = yes
x509_extensions = extensions
[any]
commonName = supplied
[extensions]
subjectAltName = IP:127.0.0.1,DNS:localhost,DNS:*.catalog.test
`
