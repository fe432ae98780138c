/** The stock of a product's variants, changed by hand. */
import { useState } from 'preact/hooks'
import { changeProduct } from '../api/operations.js'
import { vendor } from '../api/session.js'
import { Dialog } from '../ui/dialog.js'
import { Field, valueOf } from '../ui/field.js'
import { Failure } from '../ui/states.js'
import { useChange } from '../ui/use-change.js'
import type { Product } from './product.js'

const shownVariants = 200

export function EditStock ({ product, onClose, onChanged }: { product: Product, onClose: () => void, onChanged: () => void }) {
  const variants = product.variants.slice(0, shownVariants)
  const [units, setUnits] = useState(() => new Map(variants.map(({ externalId, inventory }) => [externalId, inventory === null ? '' : String(inventory)])))
  const change = useChange(changeProduct)

  async function submit (event: Event): Promise<void> {
    event.preventDefault()
    const changed = variants.flatMap(({ externalId, inventory }) => {
      const text = units.get(externalId) ?? ''
      const next = text === '' ? null : Number(text)
      return next === inventory ? [] : [{ externalId, inventory: next }]
    })
    if (changed.length === 0) return onClose()
    const done = await change.run({ vendorId: vendor.value?.id ?? '', products: [{ externalId: product.externalId, variants: changed }] })
    if (done !== null) onChanged()
  }

  return (
    <Dialog title={`Stock of ${product.name}`} onClose={onClose}>
      <form style='padding:0' onSubmit={(event) => { void submit(event) }}>
        <p class='quiet'>Units over all stores. Empty: stock is not tracked. The next import that names a variant writes over this.</p>
        {variants.map(({ externalId, name }) => (
          <Field key={externalId} label={name ?? externalId}>
            <input type='number' step={1} value={units.get(externalId) ?? ''} onInput={(event) => { setUnits(new Map(units).set(externalId, valueOf(event))) }} />
          </Field>
        ))}
        {change.error !== null && <Failure error={change.error} />}
        <div class='actions'>
          <button type='button' onClick={onClose}>Close</button>
          <button type='submit' class='primary' disabled={change.isBusy}>Save</button>
        </div>
      </form>
    </Dialog>
  )
}
