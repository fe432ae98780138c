/** A store, new or changed. */
import { useState } from 'preact/hooks'
import { createStore, updateStore, type StoreFragment } from '../api/operations.js'
import { vendor } from '../api/session.js'
import { Dialog } from '../ui/dialog.js'
import { Field, valueOf } from '../ui/field.js'
import { Failure } from '../ui/states.js'
import { useChange } from '../ui/use-change.js'

const texts = [
  ['storeCode', 'Code', 'As files name it, capitals and all'], ['name', 'Name', undefined], ['streetAddress', 'Street', undefined], ['streetAddress2', 'Street, second line', undefined],
  ['postalCode', 'Postal code', undefined], ['city', 'City', undefined], ['region', 'Region', undefined], ['country', 'Country', 'Two letters, such as US'], ['phone', 'Phone', undefined]
] as const
const numbers = [['latitude', 'Latitude', -90, 90], ['longitude', 'Longitude', -180, 180]] as const

export function EditStore ({ store, onClose, onSaved }: { store: StoreFragment | null, onClose: () => void, onSaved: () => void }) {
  const [values, setValues] = useState<Record<string, string>>(() => Object.fromEntries(Object.entries(store ?? {}).map(([name, value]) => [name, value === null ? '' : String(value)])))
  const [isActive, setActive] = useState(store?.isActive ?? true)
  const [create, update] = [useChange(createStore), useChange(updateStore)]
  const { error, isBusy } = store === null ? create : update

  const set = (name: string) => (event: Event): void => { setValues({ ...values, [name]: valueOf(event) }) }
  async function submit (event: Event): Promise<void> {
    event.preventDefault()
    const given = (name: string): string | null => (values[name] ?? '').trim() === '' ? null : (values[name] as string).trim()
    const number = (name: string): number | null => given(name) === null ? null : Number(given(name))
    const optional = {
      isActive, phone: given('phone'), streetAddress: given('streetAddress'), streetAddress2: given('streetAddress2'), city: given('city'), region: given('region'),
      country: given('country')?.toUpperCase() ?? null, postalCode: given('postalCode'), latitude: number('latitude'), longitude: number('longitude')
    }
    const named = { storeCode: given('storeCode') ?? '', name: given('name') ?? '' }
    const done = store === null
      ? await create.run({ input: { vendorId: vendor.value?.id ?? '', ...named, ...optional } })
      : await update.run({ input: { id: store.id, ...named, ...optional } })
    if (done !== null) onSaved()
  }
  const faultOf = (name: string): string | null => error?.field?.replace(/^input\./, '') === name ? error.message : null

  return (
    <Dialog title={store === null ? 'Add a store' : `Change ${store.name}`} onClose={onClose}>
      <form style='padding:0' onSubmit={(event) => { void submit(event) }}>
        {texts.map(([name, label, hint]) => (
          <Field key={name} label={label} hint={hint} error={faultOf(name)}>
            <input value={values[name] ?? ''} onInput={set(name)} required={name === 'storeCode' || name === 'name'} maxLength={name === 'country' ? 2 : 255} />
          </Field>
        ))}
        {numbers.map(([name, label, min, max]) => (
          <Field key={name} label={label} error={faultOf(name)}><input type='number' step='any' min={min} max={max} value={values[name] ?? ''} onInput={set(name)} /></Field>
        ))}
        <label class='check'>
          <input type='checkbox' checked={isActive} onChange={() => { setActive(!isActive) }} />
          <span>Active <span class='quiet'>inactive stores keep their quantities and are left out of syncs</span></span>
        </label>
        {error !== null && <Failure error={error} />}
        <div class='actions'>
          <button type='button' onClick={onClose}>Close</button>
          <button type='submit' class='primary' disabled={isBusy}>Save</button>
        </div>
      </form>
    </Dialog>
  )
}
