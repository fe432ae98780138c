import { fileURLToPath } from 'node:url'
import { deflateSync } from 'node:zlib'
import t from 'tap'
import { PdfRefused } from '../../../src/domain/conversion-failure.js'
import { createPdfConverter, type PdfConverterOptions } from '../../../src/pdf/convert-pdf.js'
import { findConverterIsolation } from '../../../src/pdf/converter-isolation.js'
import { corpusPdf } from '../../support/size-chart-corpus.js'
import { silent as log } from '../../support/log.js'

const never = new AbortController().signal
const isolation = await findConverterIsolation()
const convert = createPdfConverter({ log, isolation })

const refusal = async (converting: Promise<string>): Promise<string> =>
  await converting.then((markdown) => `converted: ${markdown}`, (error: unknown) => {
    if (error instanceof PdfRefused) return error.failure.code
    throw error
  })

t.test('a PDF becomes markdown', async (t) => {
  t.match(await convert(corpusPdf('ruled'), never), /# Shirts\n\n\| Size \|/)
})

t.test('what the PDF is refused for comes through', async (t) => {
  t.equal(await refusal(convert(corpusPdf('password-protected'), never)), 'password-protected')
})

t.test('a few kilobytes that unpack to more than the memory there is are refused, and nothing else suffers', async (t) => {
  const modest = createPdfConverter({ log, isolation, maxMemoryBytes: 256 * 1_024 * 1_024 })
  t.equal(await refusal(modest(bomb(400_000_000), never)), 'too-complex')
  t.match(await modest(corpusPdf('ruled'), never), /# Shirts/)
})

const program = fileURLToPath(new URL('./stub-converter.js', import.meta.url))
const stub = (options: Partial<PdfConverterOptions> = {}) => {
  const converted = createPdfConverter({ log, isolation: { ...isolation, files: [...isolation.files, program] }, program, ...options })
  return async (wanted: string, signal = never) => await refusal(converted(Buffer.from(wanted), signal))
}

t.test('a converter that hangs or spins is killed when its time is over', async (t) => {
  for (const wanted of ['hang', 'spin']) t.equal(await stub({ timeoutMs: 300 })(wanted), 'too-complex', wanted)
})

t.test('one that nobody is left to kill ends by the CPU time it takes', async (t) => {
  t.equal(await stub({ maxCpuSeconds: 1 })('spin'), 'too-complex')
})

t.test('a converter that takes too much memory is killed', async (t) => {
  t.equal(await stub({ maxMemoryBytes: 256 * 1_024 * 1_024 })('grow'), 'too-complex')
})

for (const wanted of ['crash', 'exit', 'babble', 'no JSON', 'null', '{"refused":"of its own making"}']) {
  t.test(`a converter that does "${wanted}" fails this conversion only`, async (t) => {
    t.equal(await stub()(wanted), 'converter-crashed')
  })
}

for (const signal of ['SIGINT', 'SIGTERM']) {
  t.test(`a converter that ${signal} ends, as it ends a whole group of processes, says nothing about the PDF`, async (t) => {
    await t.rejects(stub()(signal), { message: `the PDF converter was ended by ${signal}` })
  })
}

t.test('the converter is told nothing of the service', async (t) => {
  process.env['SECRET_OF_THE_SERVICE'] = 'hunter2'
  t.teardown(() => { delete process.env['SECRET_OF_THE_SERVICE'] })
  const answer = await stub()('environment')
  t.match(answer, /^converted: /)
  t.notMatch(answer, /hunter2/)
})

t.test('an abort ends the converter and is told as such', async (t) => {
  const abort = new AbortController()
  const converting = stub()('hang', abort.signal)
  abort.abort(new Error('shutting down'))
  await t.rejects(converting, { message: 'shutting down' })
})

/** One page whose content is blanks, as many as wanted. */
function bomb (length: number): Buffer {
  const content = deflateSync(Buffer.alloc(length, 0x20), { level: 1 })
  return Buffer.concat([
    Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n' +
      '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R>>endobj\n' +
      `4 0 obj<</Length ${content.length}/Filter/FlateDecode>>stream\n`),
    content,
    Buffer.from('\nendstream endobj\ntrailer<</Root 1 0 R>>\n%%EOF')
  ])
}
