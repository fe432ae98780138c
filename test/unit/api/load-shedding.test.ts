import t from 'tap'
import { openDatabase } from '../../../src/store/database/connection.js'
import { createRepositories } from '../../../src/store/repositories.js'
import { eventually } from '../../support/eventually.js'
import { testApp } from './test-api.js'

t.test('an overloaded process refuses requests, says that they may be repeated, and still answers probes', async (t) => {
  // Never asked: requests are refused before anything is looked up.
  const database = openDatabase('mongodb://127.0.0.1:1/nothing', { appName: 'catalog-test' })
  t.teardown(async () => { await database.close() })
  // Any delay at all is too long.
  const app = await testApp(t, createRepositories(database), { maxEventLoopDelayMs: 0.001 })
  const refused = await eventually('requests are refused', async () => {
    const answer = await app.inject({ method: 'POST', url: '/graphql', payload: { query: '{ __typename }' } })
    return answer.statusCode === 503 ? answer : null
  })
  t.match(refused.json(), { errors: [{ message: 'The service is overloaded; try again later', extensions: { code: 'SERVICE_UNAVAILABLE' } }] })
  for (const url of ['/healthz', '/readyz', '/metrics']) t.equal((await app.inject(url)).statusCode, 200, url)
})
