/** Every figure, over random shops, against plain arrays (test/support/analytics-model). More seeds: test/services. */
import t from 'tap'
import { createStatistics } from '../../../src/store/analytics/statistics.js'
import { checkSeeds } from '../../support/analytics-check.js'
import { testApi } from '../api/test-api.js'

t.test('all figures of random shops are those of the model, whatever order their records came in', async (t) => {
  await checkSeeds(t, await testApi(t), Array.from({ length: 6 }, (_, seed) => seed))
})

for (const pageSize of [1, 3]) {
  t.test(`and so they are when a page holds ${pageSize} of their records`, async (t) => {
    await checkSeeds(t, await testApi(t, {
      repositories: (real, { collections }) => ({ ...real, analytics: { ...real.analytics, statistics: createStatistics(collections, { pageSize }) } })
    }), [6, 7, 8, 9])
  })
}
