/** The stock of a product's variants, in all and at each store, changed by hand. */
import { useState } from 'preact/hooks'
import { changeProduct, productDetail, storeCodes } from '../api/operations.js'
import { may, vendor } from '../api/session.js'
import { Dialog } from '../ui/dialog.js'
import { Field, valueOf } from '../ui/field.js'
import { Failure } from '../ui/states.js'
import { useAnswer } from '../ui/use-answer.js'
import { useChange } from '../ui/use-change.js'
import type { Product } from './product.js'
import { everywhere, stockChanges, unitsAt, withEdit, type Edits } from './stock-changes.js'

const shownVariants = 200

export function EditStock ({ product, onClose, onChanged }: { product: Product, onClose: () => void, onChanged: () => void }) {
  const variants = product.variants.slice(0, shownVariants)
  const vendorId = vendor.value?.id ?? ''
  const [place, setPlace] = useState(everywhere)
  const [edits, setEdits] = useState<Edits>(new Map())
  const stores = useStores(product)
  const look = useChange(productDetail)
  const change = useChange(changeProduct)
  const error = look.error ?? change.error

  async function submit (event: Event): Promise<void> {
    event.preventDefault()
    if (stockChanges(variants, variants, edits).length === 0) return onClose()
    // The page may have been open for long.
    const now = await look.run({ externalId: product.externalId })
    if (now === null) return
    const done = await change.run({ vendorId, products: [{ externalId: product.externalId, variants: stockChanges(variants, now.product?.variants ?? [], edits) }] })
    if (done !== null) onChanged()
  }

  return (
    <Dialog title={`Stock of ${product.name}`} onClose={onClose}>
      <form style='padding:0' onSubmit={(event) => { void submit(event) }}>
        <Field label='Where'>
          <select value={place} onChange={(event) => { setPlace(valueOf(event)) }}>
            <option value={everywhere}>All stores together</option>
            {stores.map(({ storeCode, name }) => <option key={storeCode} value={storeCode}>{name}</option>)}
          </select>
        </Field>
        <p class='quiet'>
          {place === everywhere ? 'Units over all stores. Empty: stock is not tracked.' : 'Units in this store. Empty: none. Units over all stores stay as they are.'} The next import that names a variant writes over this.
        </p>
        {variants.map((variant) => (
          <Field key={`${place} ${variant.externalId}`} label={variant.name ?? variant.externalId}>
            <input type='number' step={1} value={edits.get(place)?.get(variant.externalId) ?? unitsAt(variant, place)} onInput={(event) => { setEdits(withEdit(edits, place, variant.externalId, valueOf(event))) }} />
          </Field>
        ))}
        {error !== null && <Failure error={error} />}
        <div class='actions'>
          <button type='button' onClick={onClose}>Close</button>
          <button type='submit' class='primary' disabled={look.isBusy || change.isBusy}>Save</button>
        </div>
      </form>
    </Dialog>
  )
}

/** Active ones, by name: all of the vendor's, or those alone that have the product where the others may not be seen. */
function useStores ({ variants }: Product): Array<{ storeCode: string, name: string }> {
  const { data } = useAnswer(storeCodes, may('STORE_LOCATION_MANAGE') ? { vendorId: vendor.value?.id ?? '' } : null)
  const known = [...variants.flatMap(({ inventoryByLocation }) => inventoryByLocation.map(({ storeLocation }) => storeLocation)), ...data?.storeLocations ?? []]
  return [...new Map(known.filter(({ isActive }) => isActive).map((store) => [store.storeCode, store])).values()].sort((a, b) => a.name.localeCompare(b.name))
}
