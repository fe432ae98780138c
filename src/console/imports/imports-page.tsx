/** The vendor's import jobs, as they go. */
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { cancelImport, importJobChanges, importJobs, type ProductImportJobStatus } from '../api/operations.js'
import { spanOf } from '../analytics/period.js'
import { isLive, follow } from '../api/live.js'
import { queryOf, setQuery } from '../router.js'
import { announce } from '../ui/announce.js'
import { Question } from '../ui/dialog.js'
import { Field, valueOf } from '../ui/field.js'
import { wordCount, wordDuration, wordNumber, wordTime } from '../ui/format.js'
import { Link } from '../ui/link.js'
import { Page } from '../ui/page.js'
import { Pager } from '../ui/pager.js'
import { Failure, Skeleton } from '../ui/states.js'
import { useAnswer } from '../ui/use-answer.js'
import { useChange } from '../ui/use-change.js'
import { useNow } from '../ui/use-now.js'
import { FirstImport } from './first-import.js'
import { durationMs, isAmong, isNewest, isOver, linesPerSecond, nameOf, newsOf, withChanged, wordStarter, type JobFilter, type JobRow } from './job-row.js'
import { JobState, ProgressBar } from './job-state.js'
import { StartImport } from './start-import.js'

const most = 50
const states: Array<[ProductImportJobStatus | '', string]> = [['', 'All'], ['queued', 'Queued'], ['processing', 'Processing'], ['completed', 'Done'], ['failed', 'Failed']]

export function ImportsPage () {
  const status = (queryOf('status') || null) as ProductImportJobStatus | null
  const after = queryOf('after') || null
  const among: JobFilter = { status, file: queryOf('file') || null, ...spanOf({ from: queryOf('from'), to: queryOf('to') }) }
  const isFiltered = Object.values(among).some((value) => value !== null)
  const { data, error, isLoading, reload, patch } = useAnswer(importJobs, { ...among, cursor: after })
  const [isStarting, setStarting] = useState(false)
  /** Why what changes is not told any more, and how often it was asked for again. */
  const [unfollowed, setUnfollowed] = useState<string | null>(null)
  const [round, setRound] = useState(0)
  const [asked, setAsked] = useState<JobRow | null>(null)
  const jobs = data?.productImportJobs.nodes ?? []

  useEffect(() => follow(importJobChanges, {}, {
    onEvent: ({ productImportJobChanges: told }) => {
      const changed = { ...told, startedBy: told.startedBy === null ? null : { ...told.startedBy, keyName: null } }
      patch((before) => {
        const { nodes } = before.productImportJobs
        const news = newsOf(nodes.find(({ jobId }) => jobId === changed.jobId), changed)
        if (news !== null) announce(news)
        const isMore = after === null && isNewest(nodes, changed) && isAmong(changed, among)
        const totalCount = before.productImportJobs.totalCount + (isMore ? 1 : 0)
        return { productImportJobs: { ...before.productImportJobs, totalCount, nodes: withChanged(nodes, changed, { among, isFirstPage: after === null, most }) } }
      })
    },
    onFailure: ({ message }) => { setUnfollowed(message) },
    onAgain: reload
  }), [JSON.stringify(among), after, round])
  const followAgain = (): void => {
    setUnfollowed(null)
    setRound(round + 1)
    reload()
  }

  const note = unfollowed === null
    ? isLive.value === false && <p class='quiet' role='status'>Not live: connecting again</p>
    : <p role='alert'>Not live any more: {unfollowed}. <button type='button' class='plain' onClick={followAgain}>Follow again</button></p>

  return (
    <Page title='Imports' note={note} actions={<button type='button' class='primary' onClick={() => { setStarting(true) }}>Start an import</button>}>
      <div class='filters'>
        <Field label='State'>
          <select value={status ?? ''} onChange={(event) => { setQuery({ status: valueOf(event), after: null }) }}>
            {states.map(([value, title]) => <option key={value} value={value}>{title}</option>)}
          </select>
        </Field>
        <Field label='File'><input type='search' value={among.file ?? ''} placeholder='Its exact name' onChange={(event) => { setQuery({ file: valueOf(event).trim(), after: null }) }} /></Field>
        <Field label='From'><input type='date' value={queryOf('from')} onChange={(event) => { setQuery({ from: valueOf(event), after: null }) }} /></Field>
        <Field label='To'><input type='date' value={queryOf('to')} onChange={(event) => { setQuery({ to: valueOf(event), after: null }) }} /></Field>
      </div>
      {error !== null && <Failure error={error} retry={reload} />}
      {error === null && data === null && <Skeleton />}
      {data !== null && jobs.length === 0 && (isFiltered
        ? <p class='quiet'>No import is like that. <button type='button' class='plain' onClick={() => { setQuery({ status: null, file: null, from: null, to: null, after: null }) }}>Show all</button></p>
        : <FirstImport onStart={() => { setStarting(true) }} />)}
      {jobs.length > 0 && <JobTable jobs={jobs} isLoading={isLoading} onCancel={setAsked} />}
      {data !== null && jobs.length > 0 && <Pager shown={jobs.length} total={data.productImportJobs.totalCount} {...data.productImportJobs} of='imports' />}
      {isStarting && <StartImport onClose={() => { setStarting(false) }} />}
      {asked !== null && <CancelQuestion job={asked} onClose={() => { setAsked(null) }} />}
    </Page>
  )
}

/** What changes while it is looked at has room for whatever it becomes: no column moves another. */
function JobTable ({ jobs, isLoading, onCancel }: { jobs: JobRow[], isLoading: boolean, onCancel: (job: JobRow) => void }) {
  const nowMs = useNow(jobs.some((job) => !isOver(job)))
  return (
    <div class='table' role='region' aria-label='Imports' tabIndex={0} aria-busy={isLoading}>
      <table>
        <thead>
          <tr>
            <th style='width:100%'>File</th>
            <th>State<Room><span class='state'>Queued, place 100</span></Room></th>
            <th class='of-phone'>Mode<Room>REPLACE</Room></th>
            <th>Outcome<Room>{`${wordCount(100_000, 'line')}, ${wordCount(10_000, 'error')}`}</Room></th>
            <th class='number'>Lines/s<Room>{wordNumber(100_000)}</Room></th>
            <th class='number'>Duration<Room>{wordDuration(3_599_000)}</Room></th>
            <th class='number'>Asked for</th>
            <th class='of-wide'>By</th>
            <th><span class='sr-only'>Actions</span><Room><span class='of-button'>Cancel</span></Room></th>
          </tr>
        </thead>
        <tbody>
          {jobs.map((job) => (
            <tr key={job.jobId}>
              <td class='wrap'><Link to={`/imports/${job.jobId}`}>{nameOf(job.files)}</Link></td>
              <td><JobState job={job} /></td>
              <td class='of-phone nowrap'>{job.mode}{job.dryRun && <span class='quiet'> dry run</span>}</td>
              <td><Outcome job={job} /></td>
              <td class='number'>{wordNumber(rounded(linesPerSecond(job, nowMs)))}</td>
              <td class='number nowrap'>{wordDuration(durationMs(job, nowMs))}</td>
              <td class='number nowrap'>{wordTime(job.createdAt)}</td>
              <td class='of-wide wrap' style='min-width:104px'>{wordStarter(job.startedBy)}</td>
              <td class='number'>{!isOver(job) && <button type='button' class='plain' onClick={() => { onCancel(job) }}>Cancel<span class='sr-only'> the import of {nameOf(job.files)}</span></button>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The width of the widest that a column comes to hold, in whatever font the reader has: text that is laid out, and neither seen nor read aloud. */
const Room = ({ children }: { children: ComponentChildren }) => <span class='room'>{children}</span>

function Outcome ({ job: { status, stats, progress, files } }: { job: JobRow }) {
  if (status === 'processing') {
    return (
      <span key='going' class='going'>
        <span class='small quiet nowrap'>{`${wordCount(progress?.linesRead ?? 0, 'line')} read`}</span>
        <ProgressBar percent={progress?.percent ?? null} label={`Progress of ${nameOf(files)}`} />
      </span>
    )
  }
  if (stats === null) return null
  return <span key='over' class='nowrap'>{wordCount(stats.productsProcessed, 'line')}{stats.errors > 0 && <span class='wrong'>{`, ${wordCount(stats.errors, 'error')}`}</span>}</span>
}

export function CancelQuestion ({ job, onClose }: { job: Pick<JobRow, 'jobId' | 'files' | 'status'>, onClose: () => void }) {
  const cancel = useChange(cancelImport)
  const yes = async (): Promise<void> => { if (await cancel.run({ jobId: job.jobId }) !== null) onClose() }
  return (
    <Question title={`Cancel the import of ${nameOf(job.files)}?`} yes='Cancel the import' isBusy={cancel.isBusy} error={cancel.error} onYes={() => { void yes() }} onClose={onClose}>
      <p>{job.status === 'queued' ? 'It has not begun; nothing of it is imported.' : 'What it has imported so far stays. A REPLACE that is cancelled archives nothing.'}</p>
    </Question>
  )
}

const rounded = (value: number | null): number | null => value === null ? null : Math.round(value)
