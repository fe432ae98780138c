/** The guard: nobody makes this service talk to anything but the public internet, and nothing that comes back is unbounded. */
import type { LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import t from 'tap'
import { PdfRefused } from '../../../src/domain/conversion-failure.js'
import { createPdfFetcher, type PdfFetcherOptions } from '../../../src/pdf/fetch-pdf.js'
import { startPdfServer } from '../../support/pdf-server.js'

const pdf = Buffer.from('%PDF-1.4 small')
const endless = Buffer.alloc(64 * 1_024, 0x20)

/** Where the network behind the service would be: no test may get an answer from it unless it is allowed. */
const inside = await startPdfServer(t, (path, response, request) => {
  const [, kind = '', rest = ''] = /^\/([^/]*)\/?(.*)$/s.exec(path) ?? []
  if (kind === 'to') response.writeHead(302, { location: decodeURIComponent(rest) }).end()
  else if (kind === 'hops') response.writeHead(302, { location: Number(rest) === 0 ? '/pdf' : `/hops/${Number(rest) - 1}` }).end()
  else if (kind === 'status') response.writeHead(Number(rest), { 'x-internal': 'db-01.corp' }).end('stack trace of db-01.corp')
  else if (kind === 'endless') {
    response.writeHead(200)
    const more = (): void => { while (!response.destroyed && response.write(endless)); }
    response.on('drain', more).on('error', () => {})
    more()
  } else if (kind === 'declared') response.writeHead(200, { 'content-length': '30000000' }).write('%PDF-')
  else if (kind === 'hang') response.writeHead(200).write('%PDF-')
  else if (kind === 'cut') {
    response.writeHead(200, { 'content-length': '1000' }).write('%PDF-')
    setImmediate(() => { response.destroy() })
  } else if (kind === 'validated') {
    const isKnown = request.headers['if-none-match'] === '"v1"'
    response.writeHead(isKnown ? 304 : 200, { etag: '"v1"', 'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT' }).end(isKnown ? undefined : pdf)
  } else response.writeHead(200).end(pdf)
})

function fetcher (options: PdfFetcherOptions = {}) {
  const made = createPdfFetcher({ timeoutMs: 20_000, ...options })
  t.teardown(made.close)
  return async (url: string, signal = new AbortController().signal) => await made.fetch(url, null, signal)
}

/** The code with which the URL is refused. */
async function refusal (fetching: Promise<unknown>): Promise<string> {
  try {
    await fetching
    return 'fetched'
  } catch (error) {
    if (!(error instanceof PdfRefused)) throw error
    return error.failure.code
  }
}

const answering = (...answers: LookupAddress[][]): LookupFunction => (_name, _options, callback) => {
  callback(null, answers.length > 1 ? answers.shift() ?? [] : answers[0] ?? [])
}
const loopback: LookupAddress[] = [{ address: '127.0.0.1', family: 4 }]

const { port } = inside
const hostileUrls = [
  `http://127.0.0.1:${port}/pdf`, `http://127.1:${port}/pdf`, `http://127.0.1:${port}/pdf`, `http://0.0.0.0:${port}/pdf`, `http://0:${port}/pdf`,
  `http://2130706433:${port}/pdf`, `http://0x7f000001:${port}/pdf`, `http://0x7f.0.0.1:${port}/pdf`, `http://0177.0.0.1:${port}/pdf`, `http://017700000001:${port}/pdf`,
  `http://0x7F.1:${port}/pdf`, `http://127.0.0.1.:${port}/pdf`, `http://%31%32%37.0.0.1:${port}/pdf`, `http://１２７.０.０.１:${port}/pdf`, `http://①②⑦.0.0.1:${port}/pdf`,
  `http://localhost:${port}/pdf`, `http://LOCALHOST:${port}/pdf`, `http://localhost.:${port}/pdf`,
  `http://[::1]:${port}/pdf`, `http://[0:0:0:0:0:0:0:1]:${port}/pdf`, `http://[::]:${port}/pdf`, `http://[::ffff:127.0.0.1]:${port}/pdf`, `http://[::ffff:7f00:1]:${port}/pdf`,
  `http://[::127.0.0.1]:${port}/pdf`, `http://[64:ff9b::127.0.0.1]:${port}/pdf`, `http://[2002:7f00:1::]:${port}/pdf`, `http://[fe80::1]:${port}/pdf`, `http://[fc00::1]:${port}/pdf`,
  `http://[::ffff:0:127.0.0.1]:${port}/pdf`,
  'http://10.0.0.1/', 'http://172.16.0.1/', 'http://192.168.1.1/', 'http://169.254.169.254/latest/meta-data/', 'http://[fd00:ec2::254]/latest/meta-data/',
  'http://100.100.100.200/latest/meta-data/', 'http://168.63.129.16/machine', 'http://192.0.0.192/', 'http://198.18.0.1/', 'http://224.0.0.1/', 'http://255.255.255.255/',
  'https://127.0.0.1/', 'https://[::1]/', 'http://2852039166/latest/meta-data/', 'http://0xA9FEA9FE/'
]

/** Headers hold no characters beyond Latin-1; a browser escapes them, and so the URL's parser reads the same. */
const inHeader = (url: string): string => url.replace(/[^ -~]/g, encodeURIComponent)

t.test(`${hostileUrls.length} hostile URLs, straight and behind a redirect, are refused before anyone is asked`, async (t) => {
  t.ok(hostileUrls.length >= 40)
  // Names such as `localhost.` are not known to every resolver; here all of them lead inside.
  const straight = fetcher({ lookup: answering(loopback) })
  const redirected = fetcher({ allowedHosts: [`redirects.test:${port}`], lookup: (name, options, callback) => { answering(name === 'redirects.test' ? loopback : [...loopback, { address: '1.1.1.1', family: 4 }])(name, options, callback) } })
  for (const url of hostileUrls) {
    const before = inside.requests.length
    t.equal(await refusal(straight(url)), 'blocked-address', url)
    t.equal(inside.requests.length, before, 'nobody was asked')
    t.equal(await refusal(redirected(`http://redirects.test:${port}/to/${encodeURIComponent(inHeader(url))}`)), 'blocked-address', `a redirect to ${url}`)
    t.equal(inside.requests.length, before + 1, 'only the redirect was asked')
  }
})

for (const target of ['file:///etc/passwd', 'ftp://example.com/a.pdf', 'gopher://127.0.0.1/', 'data:application/pdf,x', 'http://user:secret@example.com/', 'http://[broken', '']) {
  t.test(`a redirect to "${target}" is no place for a PDF`, async (t) => {
    const code = await refusal(fetcher({ allowedHosts: [inside.host] })(inside.url(`/to/${encodeURIComponent(target)}`)))
    // An empty location is the page itself, again and again.
    t.equal(code, target === '' ? 'too-many-redirects' : 'bad-redirect')
  })
}

t.test('a name whose addresses are not all public is refused', async (t) => {
  const before = inside.requests.length
  for (const addresses of [loopback, [{ address: '1.1.1.1', family: 4 }, ...loopback], [{ address: '::1', family: 6 }], [{ address: '::ffff:10.0.0.1', family: 6 }], []]) {
    t.equal(await refusal(fetcher({ lookup: answering(addresses) })(`http://chart.example.com:${port}/pdf`)), 'blocked-address', JSON.stringify(addresses))
  }
  t.equal(inside.requests.length, before)
})

t.test('a name that is public the first time and loopback the second is asked once for each connection, and refused the second time', async (t) => {
  let lookups = 0
  const lookup: LookupFunction = (_name, _options, callback) => {
    lookups += 1
    callback(null, lookups === 1 ? [{ address: '1.1.1.1', family: 4 }] : loopback)
  }
  const before = inside.requests.length
  const rebound = fetcher({ lookup, timeoutMs: 300 })
  const first = await refusal(rebound(`http://rebind.example.com:${port}/pdf`))
  t.not(first, 'blocked-address')
  t.equal(lookups, 1, 'what was checked is what was connected to: no second look-up')
  t.equal(await refusal(rebound(`http://rebind.example.com:${port}/pdf`)), 'blocked-address')
  t.equal(inside.requests.length, before, 'loopback was never asked')
})

t.test('an allowed host may have any address; the same address under another name, or another port, may not', async (t) => {
  const fetch = fetcher({ allowedHosts: [`Charts.Test:${port}`], lookup: answering(loopback) })
  t.match(await fetch(`http://charts.test:${port}/pdf`), { notModified: false, bytes: pdf })
  t.equal(await refusal(fetch(`http://other.test:${port}/pdf`)), 'blocked-address')
  t.equal(await refusal(fetch('http://charts.test:1/pdf')), 'blocked-address')
})

const allowed = fetcher({ allowedHosts: [inside.host], maxBytes: 1_000_000 })

t.test('5 redirects are followed, 6 are not', async (t) => {
  t.match(await allowed(inside.url('/hops/4')), { bytes: pdf })
  t.equal(await refusal(allowed(inside.url('/hops/5'))), 'too-many-redirects')
})

t.test('a body that is too large is cut off, whether the server says so or not', async (t) => {
  t.equal(await refusal(allowed(inside.url('/endless'))), 'too-large')
  t.equal(await refusal(fetcher({ allowedHosts: [inside.host] })(inside.url('/declared'))), 'too-large')
})

t.test('a server that hangs is left after the time is over', async (t) => {
  t.equal(await refusal(fetcher({ allowedHosts: [inside.host], timeoutMs: 100 })(inside.url('/hang'))), 'timed-out')
})

t.test('a body that ends early is not taken for the whole', async (t) => {
  t.equal(await refusal(allowed(inside.url('/cut'))), 'unreachable')
})

t.test('nobody at the other end', async (t) => {
  t.equal(await refusal(fetcher({ allowedHosts: ['127.0.0.1:1'] })('http://127.0.0.1:1/')), 'unreachable')
})

t.test('a refusal tells the status and nothing else of what was answered', async (t) => {
  for (const status of [400, 401, 404, 500, 503, 204]) {
    const error: unknown = await allowed(inside.url(`/status/${status}`)).catch((error: unknown) => error)
    t.ok(error instanceof PdfRefused)
    t.equal((error as Error).message, `The server answered with HTTP status ${status}`)
  }
})

t.test('what the server validates by is remembered and asked by the next time', async (t) => {
  const { fetch, close } = createPdfFetcher({ allowedHosts: [inside.host] })
  t.teardown(close)
  const signal = new AbortController().signal
  const first = await fetch(inside.url('/validated'), null, signal)
  if (first.notModified) throw new Error('the first time nothing is known')
  t.strictSame(first.validators, { etag: '"v1"', lastModified: 'Thu, 01 Jan 2026 00:00:00 GMT' })
  t.strictSame(await fetch(inside.url('/validated'), first.validators, signal), { notModified: true })
})

t.test('compressed answers are not asked for', async (t) => {
  await allowed(inside.url('/pdf'))
  t.equal(inside.requests.at(-1)?.headers['accept-encoding'], 'identity')
})

t.test('an abort is told as such, not as a refusal', async (t) => {
  const abort = new AbortController()
  const fetching = allowed(inside.url('/hang'), abort.signal)
  abort.abort(new Error('shutting down'))
  await t.rejects(fetching, { message: 'shutting down' })
})
