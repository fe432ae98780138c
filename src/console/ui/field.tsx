/** A labelled input with its hint and its fault. */
import { cloneElement, type VNode } from 'preact'
import { useId } from 'preact/hooks'

interface FieldProps { label: string, hint?: string | undefined, error?: string | null | undefined, class?: string, children: VNode<Record<string, unknown>> }

export function Field ({ label, hint, error, class: className = '', children }: FieldProps) {
  const id = useId()
  const told = [hint === undefined ? '' : `${id}-hint`, error === undefined || error === null ? '' : `${id}-error`].filter((part) => part !== '').join(' ')
  const wired = { id, ...told === '' ? {} : { 'aria-describedby': told }, ...error === undefined || error === null ? {} : { 'aria-invalid': 'true' } }
  return (
    <div class={`field ${className}`}>
      <label for={id}>{label}</label>
      {cloneElement(children, wired)}
      {hint !== undefined && <span class='hint' id={`${id}-hint`}>{hint}</span>}
      {error !== undefined && error !== null && <span class='error' id={`${id}-error`}>{error}</span>}
    </div>
  )
}

export const valueOf = (event: Event): string => (event.currentTarget as HTMLInputElement).value
