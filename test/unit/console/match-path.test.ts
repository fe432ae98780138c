import t from 'tap'
import { matchPath } from '../../../src/console/shell/match-path.js'

t.test('what stands in the place of a name is taken from the address', async (t) => {
  t.strictSame(matchPath('/catalog/:externalId', '/catalog/a%2Fb%20c'), { externalId: 'a/b c' })
  t.strictSame(matchPath('/imports', '/imports'), {})
})

t.test('another length, another word and a broken escape are other pages', async (t) => {
  t.equal(matchPath('/imports/:jobId', '/imports'), null)
  t.equal(matchPath('/imports/:jobId', '/catalog/1'), null)
  t.equal(matchPath('/imports/:jobId', '/imports/%E0%A4%A'), null)
})
