import { readFile } from 'node:fs/promises'
import t from 'tap'

t.test('the console\'s queries are those of its .graphql files, and fit the schema', async (t) => {
  const root = new URL('../../../../', import.meta.url)
  const { generateConsoleQueries } = await import(new URL('scripts/generate-console-queries.js', root).href) as { generateConsoleQueries: () => Promise<string> }
  const written = await readFile(new URL('src/console/api/operations.ts', root), 'utf8')
  t.ok(written === await generateConsoleQueries(), 'run: npm run generate:console-queries')
})
