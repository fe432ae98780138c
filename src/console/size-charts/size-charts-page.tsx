/** The vendor's size charts. */
import { useState } from 'preact/hooks'
import { sizeCharts } from '../api/operations.js'
import { queryOf } from '../router.js'
import { announce } from '../ui/announce.js'
import { Link } from '../ui/link.js'
import { Page } from '../ui/page.js'
import { Pager } from '../ui/pager.js'
import { Empty, Failure, Skeleton } from '../ui/states.js'
import { useAnswer } from '../ui/use-answer.js'
import { ChartState, useLookAgain } from './chart-state.js'
import { EditChart } from './edit-chart.js'

export function SizeChartsPage () {
  const { data, error, reload } = useAnswer(sizeCharts, { cursor: queryOf('after') || null })
  const [isAdding, setAdding] = useState(false)
  const charts = data?.sizeCharts.nodes ?? []
  useLookAgain(charts, reload)
  const saved = (): void => {
    setAdding(false)
    announce('The size chart is saved')
    reload()
  }
  return (
    <Page title='Size charts' actions={<button type='button' class='primary' onClick={() => { setAdding(true) }}>Add a size chart</button>}>
      {error !== null && <Failure error={error} retry={reload} />}
      {error === null && data === null && <Skeleton />}
      {data !== null && charts.length === 0 && (
        <Empty title='No size charts yet'>
          <p>A chart is markdown, or a PDF whose tables are read. Products name theirs in <code>sizeChartExternalId</code>; the assistant answers questions about sizes from it.</p>
          <button type='button' class='primary' onClick={() => { setAdding(true) }}>Add a size chart</button>
        </Empty>
      )}
      {charts.length > 0 && (
        <div class='table' role='region' aria-label='Size charts' tabIndex={0}>
          <table>
            <thead><tr><th>Name</th><th>Id</th><th>Made from</th><th>State</th></tr></thead>
            <tbody>
              {charts.map((chart) => (
                <tr key={chart.id}>
                  <td class='wrap'><Link to={`/size-charts/${chart.id}`}>{chart.name}</Link></td>
                  <td class='wrap'><code>{chart.externalId}</code></td>
                  <td>{chart.source === 'PDF' ? 'PDF' : 'Markdown'}</td>
                  <td><ChartState chart={chart} />{chart.conversionError !== null && <div class='small quiet wrap'>{chart.conversionError}</div>}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {data !== null && charts.length > 0 && <Pager shown={charts.length} total={data.sizeCharts.totalCount} {...data.sizeCharts} of='size charts' />}
      {isAdding && <EditChart chart={null} onClose={() => { setAdding(false) }} onSaved={saved} />}
    </Page>
  )
}
