/** A place to drop files on, or to choose them with a button. */
import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'

interface DropZoneProps {
  /** Of the hidden input, for whoever does not see. */
  label: string
  /** As in an input of files. */
  accept: string
  multiple?: boolean
  button: string
  onFiles: (files: File[]) => void
  children: ComponentChildren
}

export function DropZone ({ label, accept, multiple = false, button, onFiles, children }: DropZoneProps) {
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setOver] = useState(false)
  return (
    <div
      class={`drop ${isOver ? 'over' : ''}`}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => { setOver(false) }}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        onFiles([...event.dataTransfer?.files ?? []])
      }}
    >
      {children}
      <input ref={input} type='file' multiple={multiple} hidden aria-label={label} accept={accept} onChange={(event) => { onFiles([...event.currentTarget.files ?? []]) }} />
      <button type='button' onClick={() => { input.current?.click() }}>{button}</button>
    </div>
  )
}
