/**
 * The program that turns one PDF into markdown: the PDF on stdin, a ConverterAnswer on stdout, then it ends. It reads strangers'
 * files, so it runs in a process of its own that its parent (pdf/convert-pdf) watches and may kill.
 */
import { pdfToMarkdown } from './pdf-to-markdown.js'

const chunks: Buffer[] = []
for await (const chunk of process.stdin as AsyncIterable<Buffer>) chunks.push(chunk)
process.stdout.write(JSON.stringify(await pdfToMarkdown(Buffer.concat(chunks))))
