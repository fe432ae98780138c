/** What is asked on a reader's word, a mutation as a rule, and what became of it. */
import { useState } from 'preact/hooks'
import { askAll } from '../api/request.js'
import type { Operation } from '../api/operations.js'

export interface Change<Data, Variables> {
  isBusy: boolean
  error: (Error & { field?: string }) | null
  /** null: it was refused; `error` says why. */
  run (variables: Variables): Promise<Data | null>
  clear (): void
}

export function useChange<Data, Variables> (operation: Operation<Data, Variables>): Change<Data, Variables> {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  return {
    isBusy,
    error,
    clear: () => { setError(null) },
    async run (variables) {
      setBusy(true)
      setError(null)
      try {
        return await askAll(operation, variables)
      } catch (failure) {
        setError(failure as Error)
        return null
      } finally {
        setBusy(false)
      }
    }
  }
}
