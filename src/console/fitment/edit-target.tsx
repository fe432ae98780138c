/** A target, new or changed. */
import { useState } from 'preact/hooks'
import { createTarget, updateTarget, type FacetFragment, type TargetFragment } from '../api/operations.js'
import { Dialog } from '../ui/dialog.js'
import { Field, valueOf } from '../ui/field.js'
import { Failure } from '../ui/states.js'
import { useChange } from '../ui/use-change.js'
import { valuesOf } from './facet-values.js'

interface EditTargetProps { target: TargetFragment | null, facets: FacetFragment[], onClose: () => void, onSaved: () => void }

export function EditTarget ({ target, facets, onClose, onSaved }: EditTargetProps) {
  const [externalId, setExternalId] = useState(target?.externalId ?? '')
  const [label, setLabel] = useState(target?.label ?? '')
  const [values, setValues] = useState<Record<string, string>>(target === null ? {} : valuesOf(target))
  const [create, update] = [useChange(createTarget), useChange(updateTarget)]
  const { error, isBusy } = target === null ? create : update
  async function submit (event: Event): Promise<void> {
    event.preventDefault()
    const facetValues = Object.fromEntries(Object.entries(values).filter(([, value]) => value.trim() !== ''))
    // Left as it was, a label that was made of the values is made anew with them.
    const input = { externalId, facetValues, ...label === (target?.label ?? '') ? {} : { label: label === '' ? null : label } }
    const done = target === null ? await create.run({ input }) : await update.run({ id: target.id, input })
    if (done !== null) onSaved()
  }
  return (
    <Dialog title={target === null ? 'Add a target' : `Change ${target.label ?? target.externalId}`} onClose={onClose}>
      <form style='padding:0' onSubmit={(event) => { void submit(event) }}>
        <Field label='Id' hint='As products name it in fitmentTargetExternalIds'><input value={externalId} required maxLength={255} onInput={(event) => { setExternalId(valueOf(event)) }} /></Field>
        {facets.map(({ id, slug, name }) => (
          <Field key={id} label={name}><input value={values[slug] ?? ''} maxLength={255} onInput={(event) => { setValues({ ...values, [slug]: valueOf(event) }) }} /></Field>
        ))}
        <Field label='Label' hint='Left as it is, it is made of the values.'><input value={label} maxLength={255} onInput={(event) => { setLabel(valueOf(event)) }} /></Field>
        {error !== null && <Failure error={error} />}
        <div class='actions'><button type='button' onClick={onClose}>Close</button><button type='submit' class='primary' disabled={isBusy}>Save</button></div>
      </form>
    </Dialog>
  )
}
