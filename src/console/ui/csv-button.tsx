/** Saves a table as a CSV file. */
import { toCsv, type Cell } from './csv.js'

export function CsvButton ({ name, head, rows }: { name: string, head: readonly string[], rows: ReadonlyArray<readonly Cell[]> }) {
  const save = (): void => {
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([toCsv(head, rows)], { type: 'text/csv' }))
    link.download = `${name}.csv`
    link.click()
    setTimeout(() => { URL.revokeObjectURL(link.href) }, 60_000)
  }
  return <button type='button' class='plain' onClick={save}>CSV<span class='sr-only'> of {name}</span></button>
}
