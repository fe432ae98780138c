/** Errors and warnings of an import, by what is wrong: how often, where for example, and what to do. */
import { useState } from 'preact/hooks'
import type { JobIssueFragment } from '../api/operations.js'
import { wordCount, wordNumber, wordPercent } from '../ui/format.js'
import { Link } from '../ui/link.js'
import { groupIssues, type IssueGroup } from './group-issues.js'
import { issueAdvice } from './issue-advice.js'

interface IssuesProps { errors: JobIssueFragment[], warnings: JobIssueFragment[], badLines: number, isDryRun: boolean }

export function Issues ({ errors, warnings, badLines, isDryRun }: IssuesProps) {
  const reasons = errors.filter(({ line, codes }) => line === null && codes.length === 0)
  const ofLines = errors.filter((issue) => !reasons.includes(issue))
  const isPart = ofLines.length < badLines
  return (
    <>
      {reasons.map(({ message }) => <p key={message} class='notice wrong' role='alert'><strong>{message}</strong></p>)}
      <section>
        <h2>Errors</h2>
        {badLines === 0 && ofLines.length === 0 && <p class='quiet'>Every line was good.</p>}
        {isPart && <p class='quiet'>By code, among the first {wordNumber(ofLines.length)} of {wordCount(badLines, 'bad line')}; the download has them all.</p>}
        <Groups groups={groupIssues(ofLines)} total={Math.max(1, ofLines.length)} />
      </section>
      {warnings.length > 0 && (
        <section>
          <h2>Warnings</h2>
          <p class='quiet'>These lines {isDryRun ? 'would be' : 'were'} imported.</p>
          <Groups groups={groupIssues(warnings)} total={Math.max(1, warnings.length)} />
        </section>
      )}
    </>
  )
}

function Groups ({ groups, total }: { groups: IssueGroup[], total: number }) {
  return (
    <div style='margin-top:12px'>
      {groups.map((group) => <Group key={group.code} group={group} total={total} />)}
    </div>
  )
}

const [fewSamples, moreSamples] = [5, 50]

function Group ({ group: { code, count, issues, unlisted }, total }: { group: IssueGroup, total: number }) {
  const [shown, setShown] = useState(fewSamples)
  return (
    <div class='issue'>
      <div class='row'>
        <h3><code>{code}</code></h3>
        <span class='quiet number'>{wordNumber(count)} <span class='small'>({wordPercent(count / total)})</span>{unlisted > 0 && `, ${wordNumber(unlisted)} more not listed`}</span>
      </div>
      {issueAdvice[code] !== undefined && <p>{issueAdvice[code]}</p>}
      <ul aria-label='Examples'>
        {issues.slice(0, shown).map(({ line, externalId, message, file }, index) => (
          <li key={index}>
            <span class='quiet'>{line === null ? 'The job' : `Line ${wordNumber(line)}`}</span>
            <span>{externalId === null ? <span class='quiet'>no id</span> : <Link to={`/catalog/${encodeURIComponent(externalId)}`}>{externalId}</Link>}</span>
            <span>{message}{file !== null && <span class='quiet'> in {file}</span>}</span>
          </li>
        ))}
      </ul>
      {issues.length > shown && (
        <div><button type='button' class='plain' onClick={() => { setShown(shown + moreSamples) }}>Show {wordNumber(Math.min(moreSamples, issues.length - shown))} more<span class='sr-only'> lines with {code}</span></button></div>
      )}
    </div>
  )
}
