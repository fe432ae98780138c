/** Every figure, over random shops, against plain arrays (test/support/analytics-model). More seeds: test/services. */
import t from 'tap'
import { checkSeeds } from '../../support/analytics-check.js'
import { testApi } from '../api/test-api.js'

t.test('all figures of random shops are those of the model, whatever order their records came in', async (t) => {
  await checkSeeds(t, await testApi(t), Array.from({ length: 6 }, (_, seed) => seed))
})
