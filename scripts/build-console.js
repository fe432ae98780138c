/** Bundles src/console into dist/console: one document, and assets whose names change with their content. */
import { createHash } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const source = fileURLToPath(new URL('../src/console/', import.meta.url))
const target = fileURLToPath(new URL('../dist/console/', import.meta.url))
/** Of what the first page takes, gzipped. */
const maxFirstPageBytes = 60_000

await rm(`${target}assets`, { recursive: true, force: true })
await mkdir(target, { recursive: true })
const common = {
  bundle: true, minify: true, target: 'es2022', outdir: `${target}assets`, entryNames: '[name]-[hash]', metafile: true, logLevel: 'warning', legalComments: 'none'
}
const outputs = Object.assign({}, ...(await Promise.all([
  build({
    ...common,
    entryPoints: { console: `${source}main.tsx`, style: `${source}style/console.css` },
    splitting: true,
    format: 'esm',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    chunkNames: 'chunk-[hash]'
  }),
  // It runs before anything is painted, which a module never does.
  build({ ...common, entryPoints: { 'theme-boot': `${source}theme-boot.ts` }, format: 'iife' })
])).map(({ metafile }) => metafile.outputs))

/** Name of the output that this file of ours became. */
function outputOf (entry) {
  const found = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint?.endsWith(entry) === true)
  if (found === undefined) throw new Error(`Nothing was made of ${entry}`)
  return found[0]
}

const script = outputOf('src/console/main.tsx')
const style = outputOf('src/console/style/console.css')
const theme = outputOf('src/console/theme-boot.ts')
const nameOf = (path) => `/console/assets/${basename(path)}`

/** What the browser loads before it shows anything: the entries and whatever they import in turn. */
function firstPage () {
  const seen = new Set()
  const visit = (path) => {
    if (seen.has(path)) return
    seen.add(path)
    for (const { path: imported, kind } of outputs[path].imports) if (kind === 'import-statement') visit(imported)
  }
  for (const path of [script, style, theme]) visit(path)
  return [...seen]
}

const iconText = await readFile(`${source}icon.svg`)
const icon = `icon-${createHash('sha256').update(iconText).digest('hex').slice(0, 8)}.svg`
await writeFile(`${target}assets/${icon}`, iconText)

const page = (await readFile(`${source}index.html`, 'utf8'))
  .replace('{style}', nameOf(style)).replace('{theme}', nameOf(theme)).replace('{script}', nameOf(script)).replace('{icon}', icon)
await writeFile(`${target}index.html`, page)
const bytes = (await Promise.all(firstPage().map(async (path) => gzipSync(await readFile(path)).length))).reduce((sum, size) => sum + size, gzipSync(page).length)
if (bytes > maxFirstPageBytes) throw new Error(`The console's first page takes ${bytes} bytes gzipped; ${maxFirstPageBytes} is the most`)
process.stdout.write(`console: first page ${(bytes / 1_000).toFixed(1)} kB gzipped\n`)
