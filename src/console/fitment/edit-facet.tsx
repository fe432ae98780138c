/** A facet, new or changed. */
import { useState } from 'preact/hooks'
import { createFacet, updateFacet, type FacetFragment } from '../api/operations.js'
import { Dialog } from '../ui/dialog.js'
import { Field, valueOf } from '../ui/field.js'
import { Failure } from '../ui/states.js'
import { useChange } from '../ui/use-change.js'

interface EditFacetProps { facet: FacetFragment | null, nextPosition: number, onClose: () => void, onSaved: () => void }

export function EditFacet ({ facet, nextPosition, onClose, onSaved }: EditFacetProps) {
  const [name, setName] = useState(facet?.name ?? '')
  const [slug, setSlug] = useState(facet?.slug ?? '')
  const [position, setPosition] = useState(String(facet?.position ?? nextPosition))
  const [create, update] = [useChange(createFacet), useChange(updateFacet)]
  const { error, isBusy } = facet === null ? create : update
  async function submit (event: Event): Promise<void> {
    event.preventDefault()
    const input = { name, slug, position: Number(position) }
    const done = facet === null ? await create.run({ input }) : await update.run({ id: facet.id, input })
    if (done !== null) onSaved()
  }
  return (
    <Dialog title={facet === null ? 'Add a facet' : `Change ${facet.name}`} onClose={onClose}>
      <form style='padding:0' onSubmit={(event) => { void submit(event) }}>
        <Field label='Name'><input value={name} required maxLength={255} onInput={(event) => { setName(valueOf(event)) }} /></Field>
        <Field label='Slug' hint={facet === null ? 'Lower-case letters, digits and hyphens, such as model-year' : 'A new slug is given to the values of all targets.'}>
          <input value={slug} required maxLength={255} pattern='[a-z0-9]+(-[a-z0-9]+)*' onInput={(event) => { setSlug(valueOf(event)) }} />
        </Field>
        <Field label='Position' hint='From 0; the lowest is asked about first.'><input type='number' min={0} step={1} required value={position} onInput={(event) => { setPosition(valueOf(event)) }} /></Field>
        {error !== null && <Failure error={error} />}
        <div class='actions'><button type='button' onClick={onClose}>Close</button><button type='submit' class='primary' disabled={isBusy}>Save</button></div>
      </form>
    </Dialog>
  )
}
