/**
 * SecantusDB's pages may grow while transactions stand on them (src/embedded/run-secantusdb.py): by WiredTiger's own measure who writes a few thousand products
 * waits for their page again and again. What its tables were made with stands in WiredTiger's list of files.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import t from 'tap'
import { findMongodb } from '../../src/embedded/find-mongodb.js'
import { testFolder } from '../support/test-folder.js'
import { startMongodb } from './parts/mongodb.js'

const pages = /file:secantus_(documents|index_entries|unique_keys)\w*\.wt.*?memory_page_max=(\w+)/gs

t.test('what SecantusDB keeps documents and indexes in may have large pages', async (t) => {
  const folder = testFolder(t)
  const server = await startMongodb(folder, await findMongodb({ wanted: 'secantusdb', writtenBy: undefined, env: process.env }))
  const client = new MongoClient(server.url)
  await client.db('catalog').collection('products').insertOne({ name: 'One' })
  await client.close()
  await server.stop()
  const list = await readFile(join(folder, 'data', 'WiredTiger.wt'), 'latin1')
  const found = new Map([...list.matchAll(pages)].map(([, table, size]) => [table, size]))
  t.strictSame(Object.fromEntries(found), { documents: '64MB', index_entries: '64MB', unique_keys: '64MB' })
})
