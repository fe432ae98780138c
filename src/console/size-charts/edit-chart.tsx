/** A size chart, new or changed: markdown, a PDF that is dropped here, or the address of one. */
import { useState } from 'preact/hooks'
import { createSizeChart, updateSizeChart, uploadSizeChartPdf, type SizeChartQuery } from '../api/operations.js'
import { Dialog } from '../ui/dialog.js'
import { DropZone } from '../ui/drop-zone.js'
import { Field, valueOf } from '../ui/field.js'
import { wordBytes } from '../ui/format.js'
import { Failure } from '../ui/states.js'
import { useChange } from '../ui/use-change.js'

type Chart = NonNullable<SizeChartQuery['sizeChart']>
type Source = 'body' | 'file' | 'url'

const sources: Array<[Source, string]> = [['body', 'Markdown'], ['file', 'A PDF of mine'], ['url', 'A PDF on the web']]

export function EditChart ({ chart, onClose, onSaved }: { chart: Chart | null, onClose: () => void, onSaved: () => void }) {
  const [externalId, setExternalId] = useState(chart?.externalId ?? '')
  const [name, setName] = useState(chart?.name ?? '')
  const [source, setSource] = useState<Source>(chart === null || chart.source === 'MARKDOWN' ? 'body' : chart.sourceUrl === null ? 'file' : 'url')
  const [body, setBody] = useState(chart?.body ?? '')
  const [url, setUrl] = useState(chart?.sourceUrl ?? '')
  const [file, setFile] = useState<File | null>(null)
  const [create, update, upload] = [useChange(createSizeChart), useChange(updateSizeChart), useChange(uploadSizeChartPdf)]
  const error = create.error ?? update.error ?? upload.error
  const isBusy = create.isBusy || update.isBusy || upload.isBusy

  async function save (): Promise<unknown> {
    if (source === 'file' && file !== null) return await upload.run({ externalId, name, file })
    const content = source === 'body' ? { body } : source === 'url' && url !== (chart?.sourceUrl ?? '') ? { sourceUrl: url } : {}
    return chart === null ? await create.run({ input: { externalId, name, ...content } }) : await update.run({ id: chart.id, input: { externalId, name, ...content } })
  }
  const submit = (event: Event): void => {
    event.preventDefault()
    void save().then((done) => { if (done !== null) onSaved() })
  }
  return (
    <Dialog title={chart === null ? 'Add a size chart' : `Change ${chart.name}`} onClose={onClose} isWide>
      <form style='padding:0' onSubmit={submit}>
        <Field label='Name'><input value={name} required maxLength={255} onInput={(event) => { setName(valueOf(event)) }} /></Field>
        <Field label='Id' hint='As products name it in sizeChartExternalId'>
          <input value={externalId} required maxLength={255} readOnly={chart !== null && source === 'file'} onInput={(event) => { setExternalId(valueOf(event)) }} />
        </Field>
        <fieldset class='row'>
          <legend>Made from</legend>
          {sources.map(([value, title]) => (
            <label class='check' key={value}><input type='radio' name='source' checked={source === value} onChange={() => { setSource(value) }} /><span>{title}</span></label>
          ))}
        </fieldset>
        {source === 'body' && <Field label='Markdown' hint='At most 50,000 characters; tables with | between the columns'><textarea rows={12} required maxLength={50_000} value={body} onInput={(event) => { setBody(valueOf(event)) }} /></Field>}
        {source === 'url' && <Field label='Address of the PDF' hint='It is fetched in the background; at most 20 MiB.'><input type='url' required value={url} onInput={(event) => { setUrl(valueOf(event)) }} /></Field>}
        {source === 'file' && (
          <DropZone label='PDF' accept='application/pdf,.pdf' button='Choose a PDF' onFiles={([dropped = null]) => { setFile(dropped) }}>
            <span class='wrap'>{file === null ? <span class='quiet'>Drop a PDF here, at most 20 MiB</span> : `${file.name}, ${wordBytes(file.size)}`}</span>
          </DropZone>
        )}
        {error !== null && <Failure error={error} />}
        <div class='actions'>
          <button type='button' onClick={onClose}>Close</button>
          <button type='submit' class='primary' disabled={isBusy || (source === 'file' && file === null)}>Save</button>
        </div>
      </form>
    </Dialog>
  )
}
