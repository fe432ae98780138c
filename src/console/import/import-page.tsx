/** One import: what it does, what it did, what was wrong. */
import { useEffect, useState } from 'preact/hooks'
import { importJob, importJobProgress, type ImportJobQuery } from '../api/operations.js'
import { follow } from '../api/live.js'
import { ownHeaders, reach, refusalIn } from '../api/request.js'
import { durationMs, isOver, linesPerSecond, nameOf, newsOf, wordStarter } from '../imports/job-row.js'
import { JobState } from '../imports/job-state.js'
import { CancelQuestion } from '../imports/imports-page.js'
import { StartImport } from '../imports/start-import.js'
import { announce } from '../ui/announce.js'
import { wordCount, wordDuration, wordFullTime, wordNumber } from '../ui/format.js'
import { Page } from '../ui/page.js'
import { Empty, Failure, Skeleton } from '../ui/states.js'
import { useAnswer } from '../ui/use-answer.js'
import { useNow } from '../ui/use-now.js'
import { Issues } from './issues.js'
import { OutcomeBar } from './outcome.js'
import { SpeedChart } from './speed-chart.js'
import { pointsOf } from './speed-points.js'

type Job = NonNullable<ImportJobQuery['productImportJob']>

const parent = { to: '/imports', title: 'Imports' }

export function ImportPage ({ jobId }: { jobId: string }) {
  const { data, error, reload, patch } = useAnswer(importJob, { jobId })
  const [isAsking, setAsking] = useState(false)
  const [isStarting, setStarting] = useState(false)
  const job = data?.productImportJob ?? null
  const points = pointsOf(job?.speed ?? [])
  const isFollowed = job !== null && !isOver(job)

  useEffect(() => {
    if (!isFollowed) return
    return follow(importJobProgress, { jobId }, {
      onEvent: ({ productImportJobProgress: next }) => {
        patch((before) => {
          const news = newsOf(before.productImportJob ?? undefined, next)
          if (news !== null) announce(news)
          return before.productImportJob === null ? before : { productImportJob: { ...before.productImportJob, ...next, startedBy: before.productImportJob.startedBy } }
        })
        // Its issues are complete now.
        if (isOver(next)) reload()
      },
      onFailure: () => { /* The page says what it knew last; a reload asks again. */ }
    })
  }, [jobId, isFollowed])

  if (error !== null) return <Page title='Import' parent={parent}><Failure error={error} retry={reload} /></Page>
  if (data === null) return <Page title='Import' parent={parent}><Skeleton /></Page>
  if (job === null) return <Page title='Import' parent={parent}><Empty title='There is no such import'><p>Imports are kept for 90 days after their end. It may also be another vendor's.</p></Empty></Page>
  const actions = (
    <>
      {isOver(job) && <Download job={job} />}
      {isOver(job) && (job.dryRun || job.status === 'failed') && <button type='button' class='primary' onClick={() => { setStarting(true) }}>{job.dryRun ? 'Import it now' : 'Start it again'}</button>}
      {!isOver(job) && <button type='button' class='danger' onClick={() => { setAsking(true) }}>Cancel</button>}
    </>
  )
  return (
    <Page title={nameOf(job.files)} parent={parent} actions={actions}>
      <Facts job={job} />
      {job.status === 'queued' ? <Waiting job={job} /> : <section><OutcomeBar job={job} unchanged={job.productsUnchanged} isOver={isOver(job)} /></section>}
      {job.files.length > 1 && <section><h2>Files</h2><ul>{job.files.map((name) => <li key={name} class='wrap'>{name}</li>)}</ul></section>}
      {points.length > 1 && <section><h2>Lines per second</h2><SpeedChart points={points} /></section>}
      {isOver(job) && <Issues errors={job.errorDetails} warnings={job.warningDetails} counts={job.issueCounts} badLines={job.stats?.errors ?? 0} isDryRun={job.dryRun} />}
      {isStarting && <StartImport again={job} onClose={() => { setStarting(false) }} />}
      {isAsking && <CancelQuestion job={job} onClose={() => { setAsking(false) }} />}
    </Page>
  )
}

function Facts ({ job }: { job: Job }) {
  const nowMs = useNow(!isOver(job))
  const speed = linesPerSecond(job, nowMs)
  return (
    <dl class='facts' style='margin-bottom:24px'>
      <div><dt>State</dt><dd><JobState job={job} /></dd></div>
      <div><dt>Mode</dt><dd>{job.mode}{job.dryRun && ', dry run'}</dd></div>
      <div><dt>Asked for</dt><dd>{wordFullTime(job.createdAt)}</dd></div>
      {job.startedBy !== null && <div><dt>By</dt><dd>{wordStarter(job.startedBy)}</dd></div>}
      <div><dt>Duration</dt><dd>{wordDuration(durationMs(job, nowMs))}</dd></div>
      <div><dt>Lines per second</dt><dd>{wordNumber(speed === null ? null : Math.round(speed))}</dd></div>
      {job.attempt > 1 && <div><dt>Attempt</dt><dd>{job.attempt} <span class='quiet small'>a worker was lost; nothing is counted twice</span></dd></div>}
    </dl>
  )
}

function Waiting ({ job: { queuePosition, workerHeartbeatAt } }: { job: Job }) {
  const isAlive = workerHeartbeatAt !== null && Date.now() - Date.parse(workerHeartbeatAt) < 2 * 60_000
  return (
    <p class={`notice ${isAlive ? '' : 'look'}`}>
      {queuePosition === 1 || queuePosition === null ? 'It is next, once the vendor\'s running import has ended.' : `It waits for ${wordCount(queuePosition - 1, 'import')} of this vendor before it.`}
      {!isAlive && ' No worker has given a sign of life for two minutes: somebody has to start one.'}
    </p>
  )
}

function Download ({ job }: { job: Job }) {
  const [error, setError] = useState<Error | null>(null)
  async function save (): Promise<void> {
    setError(null)
    try {
      const response = await reach(`/api/v1/products/import/${job.jobId}/errors`, { headers: ownHeaders() })
      if (!response.ok) throw await refusalIn(response)
      const link = document.createElement('a')
      // The browser keeps it, on its disk if need be.
      link.href = URL.createObjectURL(await response.blob())
      link.download = `issues-${job.jobId}.jsonl`
      link.click()
      setTimeout(() => { URL.revokeObjectURL(link.href) }, 60_000)
    } catch (failure) {
      setError(failure as Error)
    }
  }
  return (
    <>
      <button type='button' onClick={() => { void save() }}>Download all issues</button>
      {error !== null && <Failure error={error} />}
    </>
  )
}
