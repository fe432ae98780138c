/** A place to drop files on, or to choose them; each is uploaded at once, one after the other. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { announce } from '../ui/announce.js'
import { DropZone } from '../ui/drop-zone.js'
import { wordBytes } from '../ui/format.js'
import { ProgressBar } from './job-state.js'
import { uploadFile } from './upload.js'

interface Sending { name: string, size: number, bytes: number, error: string | null, isDone: boolean }

export function DropFiles ({ onUploaded }: { onUploaded: (name: string) => void }) {
  const [sending, setSending] = useState<Sending[]>([])
  const stop = useRef(new AbortController())
  const queue = useRef(Promise.resolve())
  // Leaving the dialog ends what is being sent.
  useEffect(() => () => { stop.current.abort() }, [])

  const change = (name: string, changes: Partial<Sending>): void => {
    setSending((before) => before.map((each) => each.name === name ? { ...each, ...changes } : each))
  }
  async function send (file: File): Promise<void> {
    const { signal } = stop.current
    if (signal.aborted) return
    try {
      await uploadFile(file, { signal, onProgress: (bytes) => { change(file.name, { bytes }) } })
      change(file.name, { isDone: true, bytes: file.size })
      announce(`${file.name} is uploaded`)
      onUploaded(file.name)
    } catch (error) {
      if (!signal.aborted) change(file.name, { error: (error as Error).message })
    }
  }
  const take = (taken: File[]): void => {
    const names = new Set(taken.map(({ name }) => name))
    setSending((before) => [...before.filter(({ name }) => !names.has(name)), ...taken.map(({ name, size }) => ({ name, size, bytes: 0, error: null, isDone: false }))])
    for (const file of taken) queue.current = queue.current.then(async () => { await send(file) })
  }

  return (
    <div class='stack' style='gap:8px'>
      <DropZone label='Files to upload' accept='.jsonl,.gz,.json' multiple button='Choose files' onFiles={take}>
        <span class='quiet'>Drop .jsonl or .jsonl.gz files here</span>
      </DropZone>
      {sending.map(({ name, size, bytes, error, isDone }) => (
        <div key={name}>
          <div class='row' style='justify-content:space-between'>
            <span class='wrap'>{name}</span>
            <span class='quiet small'>{isDone ? 'Uploaded' : `${wordBytes(bytes)} of ${wordBytes(size)}`}</span>
          </div>
          {error !== null ? <p class='wrong' role='alert'>{error}</p> : isDone ? <span class='bar' aria-hidden='true'><span style='width:100%' /></span> : <ProgressBar percent={size === 0 ? 100 : 100 * bytes / size} label={`Upload of ${name}`} />}
        </div>
      ))}
    </div>
  )
}
