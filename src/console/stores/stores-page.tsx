/** Store locations, which stock by location refers to. */
import { useState } from 'preact/hooks'
import { deleteStore, stores as storesQuery, type StoreFragment } from '../api/operations.js'
import { vendor } from '../api/session.js'
import { announce } from '../ui/announce.js'
import { Question } from '../ui/dialog.js'
import { Page } from '../ui/page.js'
import { Empty, Failure, Skeleton } from '../ui/states.js'
import { useAnswer } from '../ui/use-answer.js'
import { useChange } from '../ui/use-change.js'
import { EditStore } from './edit-store.js'

export function StoresPage () {
  const { data, error, reload } = useAnswer(storesQuery, { vendorId: vendor.value?.id ?? '' })
  const [edited, setEdited] = useState<StoreFragment | 'new' | null>(null)
  const [doomed, setDoomed] = useState<StoreFragment | null>(null)
  const stores = data?.storeLocations ?? []
  const done = (text: string) => (): void => {
    setEdited(null)
    setDoomed(null)
    announce(text)
    reload()
  }
  return (
    <Page title='Stores' actions={<button type='button' class='primary' onClick={() => { setEdited('new') }}>Add a store</button>}>
      {error !== null && <Failure error={error} retry={reload} />}
      {error === null && data === null && <Skeleton />}
      {data !== null && stores.length === 0 && (
        <Empty title='No stores yet'>
          <p>A store has a code. A product's file then says how much of a variant is there: <code>"inventoryByLocation": {'{'}"NYC-1": 4{'}'}</code>. Codes that are unknown when a file is imported are ignored, with a warning.</p>
          <button type='button' class='primary' onClick={() => { setEdited('new') }}>Add a store</button>
        </Empty>
      )}
      {stores.length > 0 && (
        <div class='table' role='region' aria-label='Stores' tabIndex={0}>
          <table>
            <thead><tr><th>Code</th><th>Name</th><th>State</th><th>Place</th><th>Phone</th><th><span class='sr-only'>Actions</span></th></tr></thead>
            <tbody>
              {stores.map((store) => (
                <tr key={store.id}>
                  <td class='nowrap'><code>{store.storeCode}</code></td>
                  <td class='wrap'>{store.name}</td>
                  <td><span class={`state ${store.isActive ? 'done' : 'waits'}`}>{store.isActive ? 'Active' : 'Inactive'}</span></td>
                  <td class='wrap'>{[store.streetAddress, store.postalCode, store.city, store.country].filter((part) => part !== null && part !== '').join(', ')}</td>
                  <td class='nowrap'>{store.phone}</td>
                  <td class='number nowrap'>
                    <button type='button' class='plain' onClick={() => { setEdited(store) }}>Change<span class='sr-only'> {store.name}</span></button>{' '}
                    <button type='button' class='plain' onClick={() => { setDoomed(store) }}>Delete<span class='sr-only'> {store.name}</span></button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {edited !== null && <EditStore store={edited === 'new' ? null : edited} onClose={() => { setEdited(null) }} onSaved={done('The store is saved')} />}
      {doomed !== null && <DeleteQuestion store={doomed} onClose={() => { setDoomed(null) }} onDeleted={done('The store is deleted')} />}
    </Page>
  )
}

function DeleteQuestion ({ store, onClose, onDeleted }: { store: StoreFragment, onClose: () => void, onDeleted: () => void }) {
  const change = useChange(deleteStore)
  const yes = async (): Promise<void> => { if (await change.run({ id: store.id }) !== null) onDeleted() }
  return (
    <Question title={`Delete the store ${store.name}?`} yes='Delete the store' isBusy={change.isBusy} error={change.error} onYes={() => { void yes() }} onClose={onClose}>
      <p>What is in stock there is forgotten, for every variant. Totals stay as they are. Files that still name <code>{store.storeCode}</code> get a warning.</p>
      <p class='quiet'>To keep the quantities and leave the store out of syncs, make it inactive instead.</p>
    </Question>
  )
}
