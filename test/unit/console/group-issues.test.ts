import t from 'tap'
import { groupIssues, type IssueCount } from '../../../src/console/import/group-issues.js'
import { issueAdvice } from '../../../src/console/import/issue-advice.js'
import { faultCodes, warningCodes } from '../../../src/domain/issue.js'

const issue = (line: number | null, codes: string[], message = '') => ({ codes, line, externalId: null, message, file: null })
const count = (code: string, count: number, severity: IssueCount['severity'] = 'ERROR'): IssueCount => ({ severity, code, count })

t.test('a line with two faults is an example of both, and one of twice the same once', async (t) => {
  const groups = groupIssues([count('required', 2), count('blank', 1)], 'ERROR', [issue(1, ['required', 'blank']), issue(2, ['required', 'required'])])
  t.strictSame(groups.map(({ code, count, issues }) => [code, count, issues.map(({ line }) => line)]), [['required', 2, [1, 2]], ['blank', 1, [1]]])
})

t.test('what is counted is all that there is, whatever is listed; how many are not listed is no example', async (t) => {
  const groups = groupIssues([count('required', 2_900_001), count('blank', 1)], 'ERROR', [issue(1, ['blank']), issue(null, ['required'], '2900000 more with the code required, not listed')])
  t.match(groups, [{ code: 'required', count: 2_900_001, issues: [] }, { code: 'blank', count: 1, issues: [{ line: 1 }] }])
})

t.test('errors and warnings are apart', async (t) => {
  const counts = [count('blank', 1), count('unknown-image', 3, 'WARNING'), count('archive-skipped', 1, 'WARNING')]
  t.strictSame(groupIssues(counts, 'WARNING', [issue(null, ['archive-skipped'], 'why')]).map(({ code, issues }) => [code, issues.length]), [['unknown-image', 0], ['archive-skipped', 1]])
})

t.test('every code has its advice', async (t) => {
  t.strictSame(Object.keys(issueAdvice).sort(), [...faultCodes, ...warningCodes].sort())
})
