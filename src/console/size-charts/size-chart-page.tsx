/** One size chart: what the assistant says of it, and the PDF that it came from. */
import { useState } from 'preact/hooks'
import { deleteSizeChart, sizeChart, type ChartFragment } from '../api/operations.js'
import { webAddress } from '../catalog/product-text.js'
import { navigate } from '../router.js'
import { announce } from '../ui/announce.js'
import { Question } from '../ui/dialog.js'
import { Page } from '../ui/page.js'
import { Empty, Failure, Skeleton } from '../ui/states.js'
import { useAnswer } from '../ui/use-answer.js'
import { useChange } from '../ui/use-change.js'
import { ChartPdf } from './chart-pdf.js'
import { ChartState, useLookAgain } from './chart-state.js'
import { EditChart } from './edit-chart.js'
import { Markdown } from './markdown.js'

const parent = { to: '/size-charts', title: 'Size charts' }

export function SizeChartPage ({ id }: { id: string }) {
  const { data, error, reload } = useAnswer(sizeChart, { id })
  /** How often it was saved: its PDF may be another since. */
  const [saves, setSaves] = useState(0)
  const [open, setOpen] = useState<'edit' | 'delete' | null>(null)
  const remove = useChange(deleteSizeChart)
  const chart = data?.sizeChart ?? null
  useLookAgain(chart === null ? [] : [chart], reload)
  if (error !== null) return <Page title='Size chart' parent={parent}><Failure error={error} retry={reload} /></Page>
  if (data === null) return <Page title='Size chart' parent={parent}><Skeleton /></Page>
  if (chart === null) return <Page title='Size chart' parent={parent}><Empty title='There is no such size chart' /></Page>
  const pdf = webAddress(chart.pdfUrl)
  const saved = (): void => {
    setOpen(null)
    announce('The size chart is saved')
    setSaves(saves + 1)
    reload()
  }
  const yes = async (): Promise<void> => {
    if (await remove.run({ id: chart.id }) === null) return
    announce('The size chart is deleted')
    navigate('/size-charts')
  }
  const actions = (
    <>
      {pdf !== null && <a class='button' href={pdf} target='_blank' rel='noopener noreferrer'>Open the PDF</a>}
      <button type='button' onClick={() => { setOpen('edit') }}>Change</button>
      <button type='button' class='danger' onClick={() => { setOpen('delete') }}>Delete</button>
    </>
  )
  return (
    <Page title={chart.name} parent={parent} actions={actions}>
      <div class='row' style='margin-bottom:16px'><ChartState chart={chart} /><span class='quiet'>Id <code>{chart.externalId}</code></span></div>
      {chart.status === 'FAILED' && <p class='notice wrong'><strong>{chart.conversionError}</strong> The assistant links shoppers to the PDF instead. Upload a better PDF, or write the chart as markdown.</p>}
      <div class='beside'>
        {(chart.body !== null || chart.status === 'PENDING') && (
          <section>
            <h2>What the assistant says</h2>
            {chart.status === 'PENDING' && <p class='notice' role='status'>The PDF is being converted. Until then the assistant links shoppers to the PDF.</p>}
            {chart.body !== null && <Markdown text={chart.body} />}
          </section>
        )}
        {hasCopy(chart) && <ChartPdf key={saves} id={chart.id} name={chart.name} />}
      </div>
      {open === 'edit' && <EditChart chart={chart} onClose={() => { setOpen(null) }} onSaved={saved} />}
      {open === 'delete' && (
        <Question title={`Delete the size chart ${chart.name}?`} yes='Delete the size chart' isBusy={remove.isBusy} error={remove.error} onYes={() => { void yes() }} onClose={() => { setOpen(null) }}>
          <p>It is unlinked from all products; they stay as they are otherwise. The assistant has no sizes for them any more.</p>
        </Question>
      )}
    </Page>
  )
}

/** Of the PDF, at this service: of an upload from the beginning, of one on the web once it was read. */
const hasCopy = ({ source, sourceUrl, status, pdfUrl }: ChartFragment): boolean => source === 'PDF' && (sourceUrl === null ? pdfUrl !== null : status === 'READY')
