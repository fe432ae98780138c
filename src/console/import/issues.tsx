/** Errors and warnings of an import, by what is wrong: how often, where for example, and what to do. */
import { useState } from 'preact/hooks'
import type { JobIssueFragment } from '../api/operations.js'
import { wordCount, wordNumber, wordPercent } from '../ui/format.js'
import { Link } from '../ui/link.js'
import { groupIssues, type IssueCount, type IssueGroup } from './group-issues.js'
import { issueAdvice } from './issue-advice.js'

interface IssuesProps { errors: JobIssueFragment[], warnings: JobIssueFragment[], counts: IssueCount[], badLines: number, isDryRun: boolean }

export function Issues ({ errors, warnings, counts, badLines, isDryRun }: IssuesProps) {
  const reasons = errors.filter(({ line, codes }) => line === null && codes.length === 0)
  const warned = groupIssues(counts, 'WARNING', warnings)
  const warningCount = warned.reduce((sum, { count }) => sum + count, 0)
  return (
    <>
      {reasons.map(({ message }) => <p key={message} class='notice wrong' role='alert'><strong>{message}</strong></p>)}
      <section>
        <h2>Errors</h2>
        {badLines === 0
          ? <p class='quiet'>Every line was good.</p>
          : <p class='quiet'>{wordCount(badLines, 'bad line')}, by what is wrong. The share is of these; a line may have several.</p>}
        <Groups groups={groupIssues(counts, 'ERROR', errors)} total={Math.max(1, badLines)} />
      </section>
      {warned.length > 0 && (
        <section>
          <h2>Warnings</h2>
          <p class='quiet'>{wordCount(warningCount, 'warning')}. These lines {isDryRun ? 'would be' : 'were'} imported.</p>
          <Groups groups={warned} total={Math.max(1, warningCount)} />
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

function Group ({ group: { code, count, issues }, total }: { group: IssueGroup, total: number }) {
  const [shown, setShown] = useState(fewSamples)
  return (
    <div class='issue'>
      <div class='row'>
        <h3><code>{code}</code></h3>
        <span class='quiet number'>{wordNumber(count)} <span class='small'>({wordPercent(count / total)})</span></span>
      </div>
      {issueAdvice[code] !== undefined && <p>{issueAdvice[code]}</p>}
      {issues.length === 0 && <p class='quiet small'>None is among the first that are listed: the download has them.</p>}
      <ul aria-label='Examples' hidden={issues.length === 0}>
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
