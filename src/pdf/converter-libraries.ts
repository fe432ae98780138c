/**
 * Prints, as a JSON list, the absolute paths of the shared libraries that the converter runs on. Some are loaded with the first PDF only,
 * so it parses one first.
 */
import { isAbsolute } from 'node:path'
import { pdfToMarkdown } from './pdf-to-markdown.js'

await pdfToMarkdown(Buffer.from('%PDF-1.4'))
Object.assign(process.report, { excludeNetwork: true })
const { sharedObjects } = process.report.getReport() as unknown as { sharedObjects: string[] }
process.stdout.write(JSON.stringify(sharedObjects.filter((path) => isAbsolute(path))))
