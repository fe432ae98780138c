/** What the API answers to a query, kept while its variables stay the same. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { ask, type Answer } from '../api/request.js'
import type { Operation } from '../api/operations.js'

export interface Asked<Data> {
  /** Of these variables; while others are being asked for, of those before. */
  data: Data | null
  /** Of parts that are null. */
  errors: Answer<Data>['errors']
  /** There is no answer. */
  error: Error | null
  isLoading: boolean
  reload (): void
  /** Puts something in the place of what was answered, until the next answer. */
  patch (change: (data: Data) => Data): void
}

/** null for variables: not now. */
export function useAnswer<Data, Variables> (operation: Operation<Data, Variables>, variables: Variables | null): Asked<Data> {
  const [state, setState] = useState<{ answer: Answer<Data> | null, error: Error | null, isLoading: boolean }>({ answer: null, error: null, isLoading: true })
  const [round, setRound] = useState(0)
  const key = JSON.stringify(variables)
  const asked = useRef(variables)
  asked.current = variables

  useEffect(() => {
    if (asked.current === null) return setState({ answer: null, error: null, isLoading: false })
    const stop = new AbortController()
    setState(({ answer }) => ({ answer, error: null, isLoading: true }))
    ask(operation, asked.current, stop.signal).then(
      (answer) => { if (!stop.signal.aborted) setState({ answer, error: null, isLoading: false }) },
      (error: unknown) => { if (!stop.signal.aborted) setState({ answer: null, error: error as Error, isLoading: false }) }
    )
    return () => { stop.abort() }
  }, [operation, key, round])

  const reload = useCallback(() => { setRound((before) => before + 1) }, [])
  const patch = useCallback((change: (data: Data) => Data) => {
    setState((before) => before.answer === null ? before : { ...before, answer: { ...before.answer, data: change(before.answer.data) } })
  }, [])
  return { data: state.answer?.data ?? null, errors: state.answer?.errors ?? [], error: state.error, isLoading: state.isLoading, reload, patch }
}
