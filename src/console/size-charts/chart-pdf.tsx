/** The PDF that a chart was made from, as the browser itself shows PDFs, where there is room for it. */
import { useEffect, useState } from 'preact/hooks'

/** As in pages.css. */
const roomy = '(min-width: 1200px)'

function useRoom (): boolean {
  const [isRoomy, setRoomy] = useState(matchMedia(roomy).matches)
  useEffect(() => {
    const query = matchMedia(roomy)
    const changed = (): void => { setRoomy(query.matches) }
    query.addEventListener('change', changed)
    return () => { query.removeEventListener('change', changed) }
  }, [])
  return isRoomy
}

/** This service's own copy: others' sites may not be framed. Where the browser shows no PDFs, the link to a tab of its own is left. */
export function ChartPdf ({ id, name }: { id: string, name: string }) {
  if (!useRoom()) return null
  return (
    <section class='pdf'>
      <h2>The PDF that it is made from</h2>
      <iframe src={`/api/v1/size-charts/${encodeURIComponent(id)}/pdf#navpanes=0&view=FitH`} title={`PDF of ${name}`} referrerpolicy='no-referrer' />
    </section>
  )
}
