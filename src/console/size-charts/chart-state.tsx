/** How far a size chart is. */
import { useEffect } from 'preact/hooks'
import type { ChartFragment } from '../api/operations.js'

const states = { READY: ['done', 'Ready'], PENDING: ['runs', 'Being converted'], FAILED: ['wrong', 'Not converted'] } as const

export function ChartState ({ chart: { status } }: { chart: Pick<ChartFragment, 'status'> }) {
  const [kind, title] = states[status]
  return <span class={`state ${kind}`}>{title}</span>
}

const lookAgainMs = 1_500

/** A conversion takes seconds: while one runs, the charts are asked for again. */
export function useLookAgain (charts: ReadonlyArray<Pick<ChartFragment, 'status'>>, reload: () => void): void {
  const isPending = charts.some(({ status }) => status === 'PENDING')
  useEffect(() => {
    if (!isPending) return
    const timer = setInterval(reload, lookAgainMs)
    return () => { clearInterval(timer) }
  }, [isPending, reload])
}
