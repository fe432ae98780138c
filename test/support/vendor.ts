/** A merchant of a running service: its credentials, its files, and what it asks for over the API. */
import ssh2, { type SFTPWrapper } from 'ssh2'
import type { ImportMode, ImportStats, JobStatus } from '../../src/domain/import-job.js'
import { fingerprintOf } from '../../src/domain/ssh-public-key.js'
import { generateEd25519KeyPair } from '../../src/sftp/key-pair.js'
import { eventually } from './eventually.js'
import type { ServiceProcess } from './service-process.js'

export interface ErrorDetail { line: number | null, externalId: string | null, message: string }

export interface JobAnswer {
  success: boolean
  jobId: string
  status: JobStatus
  mode: ImportMode
  stats: ImportStats | null
  errorDetails: ErrorDetail[]
  completedAt: string | null
}

export interface StartImport {
  files: string[]
  mode: ImportMode
  dryRun?: boolean
  maxArchivePercent?: number
  archiveDespiteUnreadable?: boolean
  idempotencyKey?: string
}

export interface GraphqlAnswer {
  // The tests say what they expect in here.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  data: any
  errors?: Array<{ message: string, path?: Array<string | number>, extensions: { code: string } }>
}

export interface TestVendor {
  id: string
  apiKey: string
  /** Over SFTP, as a merchant does it; to the built-in server only. */
  upload (name: string, content: string | Buffer): Promise<void>
  /** Straight into the service's folder, where the way is not what is tested. Gives the file's path. */
  put (name: string, content: string | Buffer): Promise<string>
  /** The same way. */
  remove (name: string): Promise<void>
  rest (method: 'GET' | 'POST', path: string, body?: unknown): Promise<{ status: number, body: unknown }>
  graphql (query: string, variables?: object): Promise<GraphqlAnswer>
  /** Expects to be accepted; gives the job's id. */
  startImport (request: StartImport): Promise<string>
  job (jobId: string): Promise<JobAnswer>
  /** Waits for the job's end. */
  ended (jobId: string): Promise<JobAnswer>
  /** Both of the above. */
  runImport (request: StartImport): Promise<JobAnswer>
}

const jobTimeoutMs = 90_000

/** Registers the vendor with everything it needs. The service may be restarted meanwhile. */
export async function createVendor (service: ServiceProcess, id = 'acme'): Promise<TestVendor> {
  const { vendors, integrationApiKeys, sftpKeys } = service.repositories()
  await vendors.create(id, id)
  const { key: apiKey } = await integrationApiKeys.create(id, 'test', ['PRODUCT_MANAGE'])
  const sshKey = generateEd25519KeyPair(id)
  await sftpKeys.add({ _id: fingerprintOfText(sshKey.public), vendorId: id, publicKey: sshKey.public, comment: '', createdAt: new Date() })

  async function request (method: string, path: string, body?: unknown): Promise<{ status: number, body: unknown }> {
    const response = await fetch(`${service.url}${path}`, {
      method,
      headers: { 'x-vendor-api-key': apiKey, ...body === undefined ? {} : { 'content-type': 'application/json' } },
      ...body === undefined ? {} : { body: JSON.stringify(body) }
    })
    return { status: response.status, body: await response.json() }
  }

  /** As a merchant does it: a service that is overloaded says to come again, and has done nothing. */
  async function startImport (wanted: StartImport): Promise<string> {
    const { status, body } = await eventually('an import is accepted', async () => {
      const answer = await request('POST', '/api/v1/products/import', wanted)
      return answer.status === 503 && JSON.stringify(answer.body).includes('overloaded') ? null : answer
    })
    if (status !== 202) throw new Error(`The import was refused with ${status}: ${JSON.stringify(body)}`)
    return (body as JobAnswer).jobId
  }

  const job = async (jobId: string): Promise<JobAnswer> => await eventually(`job ${jobId} is told of`, async () => await jobNow(jobId))

  /** null: the service is overloaded, and says to come again. */
  async function jobNow (jobId: string): Promise<JobAnswer | null> {
    const { status, body } = await request('GET', `/api/v1/products/import/${jobId}`)
    if (status === 503) return null
    if (status !== 200) throw new Error(`The job was answered with ${status}: ${JSON.stringify(body)}`)
    return body as JobAnswer
  }

  const ended = async (jobId: string): Promise<JobAnswer> => await eventually(`job ${jobId} ends`, async () => {
    const answer = await jobNow(jobId)
    return answer?.status === 'completed' || answer?.status === 'failed' ? answer : null
  }, jobTimeoutMs)

  return {
    id,
    apiKey,
    upload: async (name, content) => {
      const [host = '', port = ''] = service.sftp.split(':')
      await uploadFile({ host, port: Number(port), username: id, privateKey: sshKey.private }, `incoming/${name}`, Buffer.from(content))
    },
    async put (name, content) {
      return await service.putFile(id, name, content)
    },
    remove: async (name) => { await service.removeFile(id, name) },
    rest: request,
    graphql: async (query, variables) => (await request('POST', '/graphql', { query, variables })).body as GraphqlAnswer,
    startImport,
    job,
    ended,
    runImport: async (wanted) => await ended(await startImport(wanted))
  }
}

function fingerprintOfText (publicKey: string): string {
  const key = ssh2.utils.parseKey(publicKey)
  if (key instanceof Error) throw key
  return fingerprintOf(key.getPublicSSH())
}

async function uploadFile (login: ssh2.ConnectConfig, path: string, content: Buffer): Promise<void> {
  const client = new ssh2.Client()
  try {
    const sftp = await new Promise<SFTPWrapper>((resolve, reject) => {
      client.on('error', reject)
      // A server that cuts it off says nothing.
      client.on('close', () => { reject(new Error('The connection was closed')) })
      client.on('ready', () => { client.sftp((error, session) => { if (error) reject(error); else resolve(session) }) })
      client.connect(login)
    })
    await new Promise<void>((resolve, reject) => {
      client.on('close', () => { reject(new Error('The connection was closed')) })
      sftp.createWriteStream(path).on('error', reject).on('close', resolve).end(content)
    })
  } finally {
    client.destroy()
  }
}
