/** Files to import: dropped here, or uploaded before; how; and a dry run, if one likes to know first. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { startImport, type ProductImportMode } from '../api/operations.js'
import { ownHeaders, reach, refusalIn } from '../api/request.js'
import { navigate } from '../router.js'
import { Dialog } from '../ui/dialog.js'
import { Field, valueOf } from '../ui/field.js'
import { wordBytes, wordFullTime } from '../ui/format.js'
import { Failure, Skeleton } from '../ui/states.js'
import { useChange } from '../ui/use-change.js'
import { DropFiles } from './drop-files.js'

interface UploadedFile { name: string, size: number, uploadedAt: string }

/** `again`: chosen to begin with, of a job of before. */
export function StartImport ({ again, onClose }: { again?: { files: readonly string[], mode: ProductImportMode }, onClose: () => void }) {
  const [files, setFiles] = useState<UploadedFile[] | null>(null)
  const [error, setError] = useState<Error | null>(null)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(again?.files))
  const [mode, setMode] = useState<ProductImportMode>(again?.mode ?? 'UPDATE')
  const [isDryRun, setDryRun] = useState(false)
  const [share, setShare] = useState('20')
  const start = useChange(startImport)
  // A start that is asked for twice is one start.
  const attempt = useRef(crypto.randomUUID())
  // An answer that comes after a later one's question does not know the file that this one was asked for.
  const asked = useRef(0)

  async function load (): Promise<void> {
    const own = ++asked.current
    try {
      const response = await reach('/api/v1/files', { headers: ownHeaders() })
      if (!response.ok) throw await refusalIn(response)
      const found = ((await response.json()) as { files: UploadedFile[] }).files
      if (own !== asked.current) return
      setFiles(found)
      const names = new Set(found.map(({ name }) => name))
      setChosen((before) => new Set([...before].filter((name) => names.has(name))))
      setError(null)
    } catch (failure) {
      if (own === asked.current) setError(failure as Error)
    }
  }
  useEffect(() => { void load() }, [])

  const toggle = (name: string, isChosen: boolean): void => {
    const next = new Set(chosen)
    if (isChosen) next.add(name)
    else next.delete(name)
    setChosen(next)
  }
  const gone = files === null ? [] : (again?.files ?? []).filter((name) => !files.some((file) => file.name === name))
  const uploaded = (name: string): void => {
    setChosen((before) => new Set([...before, name]))
    void load()
  }
  async function submit (event: Event): Promise<void> {
    event.preventDefault()
    const input = {
      files: [...chosen], mode, dryRun: isDryRun, idempotencyKey: attempt.current,
      maxArchivePercent: mode === 'REPLACE' && share !== '' ? Number(share) : null
    }
    const done = await start.run({ input })
    if (done === null) attempt.current = crypto.randomUUID()
    else navigate(`/imports/${done.processProductImport.jobId}`)
  }

  return (
    <Dialog title='Start an import' onClose={onClose} isWide>
      <DropFiles onUploaded={uploaded} />
      {error !== null && <Failure error={error} retry={() => { void load() }} />}
      {/* The dialog's own padding is around it. */}
      <form style='padding:0' onSubmit={(event) => { void submit(event) }}>
        {gone.length > 0 && <p class='notice look'>{gone.join(', ')} {gone.length === 1 ? 'is' : 'are'} not there any more: upload {gone.length === 1 ? 'it' : 'them'} again.</p>}
        {error === null && <FileChoice files={files} chosen={chosen} onToggle={toggle} />}
        <fieldset class='stack' style='gap:8px'>
          <legend>Mode</legend>
          <label class='check'>
            <input type='radio' name='mode' checked={mode === 'UPDATE'} onChange={() => { setMode('UPDATE') }} />
            <span>UPDATE <span class='quiet'>only the products in the files are touched</span></span>
          </label>
          <label class='check'>
            <input type='radio' name='mode' checked={mode === 'REPLACE'} onChange={() => { setMode('REPLACE') }} />
            <span>REPLACE <span class='quiet'>the files are the whole catalog; what is absent is archived</span></span>
          </label>
        </fieldset>
        {mode === 'REPLACE' && (
          <Field label='Fail instead of archiving more than this share of the live products, in percent' hint='Leave it empty to archive whatever is absent.'>
            <input type='number' min={0} max={100} step='any' style='max-width:120px' value={share} onInput={(event) => { setShare(valueOf(event)) }} />
          </Field>
        )}
        <label class='check'>
          <input type='checkbox' checked={isDryRun} onChange={() => { setDryRun(!isDryRun) }} />
          <span>Dry run <span class='quiet'>check every line and say what is wrong, write nothing</span></span>
        </label>
        {start.error !== null && <Failure error={start.error} />}
        <div class='actions'>
          <button type='button' onClick={onClose}>Close</button>
          <button type='submit' class='primary' disabled={chosen.size === 0 || start.isBusy}>{isDryRun ? 'Start the dry run' : 'Start the import'}</button>
        </div>
      </form>
    </Dialog>
  )
}

/** As high with no file, and before they are known, as with many. */
function FileChoice ({ files, chosen, onToggle }: { files: UploadedFile[] | null, chosen: ReadonlySet<string>, onToggle: (name: string, isChosen: boolean) => void }) {
  return (
    <fieldset>
      <legend style='margin-bottom:4px'>Files, imported in the order in which they are chosen</legend>
      <div class='files'>
        {files === null && <Skeleton rows={3} />}
        {files?.length === 0 && <p class='quiet'>No file has been uploaded yet. They are kept for 30 days.</p>}
        {files?.map(({ name, size, uploadedAt }) => (
          <label key={name}>
            <input type='checkbox' checked={chosen.has(name)} onChange={(event) => { onToggle(name, event.currentTarget.checked) }} />
            <span class='wrap'>{name}</span>
            <span class='number quiet'>{wordBytes(size)}</span>
            <span class='small quiet'>{wordFullTime(uploadedAt)}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
