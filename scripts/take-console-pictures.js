/**
 * `npm run pictures`, after a build: takes the pictures of docs/console with what the demo leaves behind. `npm run pictures -- FOLDER` takes every page as well, in both themes and on a phone, into that folder:
 * to be looked at after the console has changed.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { chromium } from 'playwright-core'
import { chromiumProgram } from '../dist/test/services/parts/chromium.js'

const [folder] = process.argv.slice(2)
const year = 'from=2025-01-01&to=2025-12-31&zone=UTC'

/** Asks the service as whoever its one-time link signs in. */
async function signIn (link) {
  const { origin, hash } = new URL(link)
  const send = async (path, headers, body) => await (await fetch(`${origin}${path}`, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) })).json()
  const { token } = await send('/console/sign-in', {}, { code: hash.slice(1) })
  const ask = async (query, variables = {}) => {
    const { data, errors } = await send('/graphql', { authorization: `Bearer ${token}`, 'x-vendor-id': 'demo' }, { query, variables })
    if (errors !== undefined) throw new Error(JSON.stringify(errors))
    return data
  }
  return { origin, token, ask }
}

/** Beside the demo's own: imports that fail, change little and write nothing, and what a shopper's car is asked by. Gives the id of the import that changed little. */
async function addToDemo (ask) {
  const run = async (input) => {
    const { processProductImport: { jobId } } = await ask('mutation ($input: ProcessProductImportInput!) { processProductImport(input: $input) { jobId } }', { input })
    for (;;) {
      const { productImportJob: { completedAt } } = await ask('query ($jobId: ID!) { productImportJob(jobId: $jobId) { completedAt } }', { jobId })
      if (completedAt !== null) return jobId
      await new Promise((resolve) => { setTimeout(resolve, 250) })
    }
  }
  const jobId = await run({ files: ['products-full.jsonl.gz'], mode: 'REPLACE' })
  await run({ files: ['inventory-delta.jsonl.gz'], mode: 'REPLACE', maxArchivePercent: 20 })
  await run({ files: ['products-full.jsonl.gz'], mode: 'REPLACE', dryRun: true })
  for (const [position, name] of ['Make', 'Model', 'Year'].entries()) {
    await ask('mutation ($input: CreateFitmentFacetInput!) { createFitmentFacet(input: $input) { id } }', { input: { name, slug: name.toLowerCase(), position } })
  }
  const cars = [['Honda', 'Civic'], ['Honda', 'Accord'], ['Toyota', 'Corolla']]
  const targets = cars.flatMap(([make, model]) => ['2018', '2019', '2020', '2021', '2022'].map((year) => ({ externalId: `${make}-${model}-${year}`.toLowerCase(), facetValues: { make, model, year } })))
  await ask('mutation ($input: BulkUpsertFitmentTargetsInput!) { bulkUpsertFitmentTargets(input: $input) { total } }', { input: { targets } })
  for (const [storeCode, name, city] of [['NYC-1', 'Broadway', 'New York'], ['SF-1', 'Mission Street', 'San Francisco']]) {
    await ask('mutation ($input: CreateStoreLocationInput!) { createStoreLocation(input: $input) { id } }', { input: { vendorId: 'demo', storeCode, name, city, country: 'US' } })
  }
  const body = '| Size | Chest, cm | Waist, cm |\n|---|---|---|\n| S | 86–91 | 71–76 |\n| M | 96–101 | 81–86 |\n| L | 106–111 | 91–96 |'
  const { createSizeChart: { id: chartId } } = await ask('mutation ($input: CreateSizeChartInput!) { createSizeChart(input: $input) { id } }', { input: { externalId: 'shirts', name: 'Shirts', body } })
  const { products: { nodes: [{ externalId }] } } = await ask('{ products(first: 1) { nodes { externalId } } }')
  return { jobId, chartId, externalId }
}

async function open (browser, { origin, token }, { width, height, theme }) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, locale: 'en-US' })
  await context.addInitScript(`sessionStorage.setItem('console.credential', ${JSON.stringify(token)})`)
  const page = await context.newPage()
  const settled = async () => {
    await page.locator('h1').first().waitFor()
    await page.locator('.skeleton, [aria-busy=true]').first().waitFor({ state: 'detached', timeout: 120_000 })
  }
  return {
    page,
    async go (path) {
      await page.goto(`${origin}/console${path}`)
      await settled()
    },
    async ask (words) {
      await page.getByLabel('As a shopper would say it').fill(words)
      await page.getByRole('button', { name: 'Ask' }).click()
      await page.getByRole('heading', { name: 'Products' }).waitFor()
      await settled()
      await page.mouse.move(0, 0)
    },
    close: async () => { await context.close() }
  }
}

async function takeForDocs (browser, session, { jobId }) {
  const words = 'water bottle for my honda civic'
  for (const [name, path, height] of [['imports-dark', '/imports', 760], ['import-light', `/imports/${jobId}`, 760], ['analytics-light', `/analytics?${year}`, 960], ['assistant-dark', '/assistant', 760]]) {
    const view = await open(browser, session, { width: 1_280, height, theme: name.endsWith('dark') ? 'dark' : 'light' })
    await view.go(path)
    if (path === '/assistant') await view.ask(words)
    await view.page.screenshot({ path: `docs/console/${name}.png` })
    await view.close()
  }
}

async function takeAll (browser, session, { jobId, chartId, externalId }) {
  const { conversations: { edges: [{ node: { id } }] } } = await session.ask('{ conversations(vendorId: "demo", first: 1) { edges { node { id } } } }')
  const pages = {
    imports: '/imports',
    import: `/imports/${jobId}`,
    catalog: '/catalog',
    search: '/catalog?text=bottle',
    product: `/catalog/${encodeURIComponent(externalId)}`,
    stores: '/stores',
    fitment: '/fitment',
    'size-charts': '/size-charts',
    'size-chart': `/size-charts/${chartId}`,
    assistant: '/assistant',
    analytics: `/analytics?${year}`,
    conversations: '/conversations',
    conversation: `/conversations/${id}`,
    access: '/access',
    'access-own': '/access?show=own',
    'access-sftp': '/access?show=sftp',
    'access-users': '/access?show=users',
    'access-audit': '/access?show=audit',
    service: '/service'
  }
  await mkdir(folder, { recursive: true })
  for (const [width, height] of [[360, 800], [1_280, 800]]) {
    for (const theme of ['light', 'dark']) {
      const view = await open(browser, session, { width, height, theme })
      for (const [name, path] of Object.entries(pages)) {
        await view.go(path)
        if (name === 'assistant') await view.ask('water bottle for my honda civic')
        await view.page.screenshot({ path: join(folder, `${name}-${width}-${theme}.png`), fullPage: true })
      }
      await view.close()
    }
  }
}

const demo = spawn(process.execPath, ['dist/src/bin/demo.js', '--analytics', '--stay'], { stdio: ['ignore', 'pipe', 'inherit'] })
const ended = once(demo, 'exit')
try {
  let link
  for await (const line of createInterface(demo.stdout)) {
    process.stdout.write(`${line}\n`)
    link = /https?:\/\/\S+\/console#\S+/.exec(line)?.[0]
    if (link !== undefined) break
  }
  if (link === undefined) throw new Error('The demo has printed no link to its console')
  const session = await signIn(link)
  const added = await addToDemo(session.ask)
  const browser = await chromium.launch({ executablePath: await chromiumProgram(), args: ['--no-sandbox'] })
  try {
    await takeForDocs(browser, session, added)
    if (folder !== undefined) await takeAll(browser, session, added)
  } finally {
    await browser.close()
  }
} finally {
  demo.kill('SIGTERM')
  await ended
}
