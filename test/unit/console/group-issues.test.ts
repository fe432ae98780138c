import t from 'tap'
import { groupIssues } from '../../../src/console/import/group-issues.js'
import { issueAdvice } from '../../../src/console/import/issue-advice.js'
import { faultCodes, warningCodes } from '../../../src/domain/issue.js'

const issue = (line: number | null, codes: string[], message = '') => ({ codes, line, externalId: null, message, file: null })

t.test('a line with two faults counts for both, and twice the same once', async (t) => {
  const groups = groupIssues([issue(1, ['required', 'blank']), issue(2, ['required', 'required'])])
  t.strictSame(groups.map(({ code, count }) => [code, count]), [['required', 2], ['blank', 1]])
})

t.test('each has its lines, in their order', async (t) => {
  const [group] = groupIssues(Array.from({ length: 1_000 }, (_, line) => issue(line + 1, ['blank'])))
  t.equal(group?.count, 1_000)
  t.strictSame(group?.issues.slice(0, 3).map(({ line }) => line), [1, 2, 3])
})

t.test('those that are not listed are counted apart, and put their code first when they are many', async (t) => {
  const groups = groupIssues([issue(1, ['blank']), issue(null, ['required'], '2900000 more with the code required, not listed')])
  t.match(groups[0], { code: 'required', count: 0, unlisted: 2_900_000, issues: [] })
})

t.test('every code has its advice', async (t) => {
  t.strictSame(Object.keys(issueAdvice).sort(), [...faultCodes, ...warningCodes].sort())
})
