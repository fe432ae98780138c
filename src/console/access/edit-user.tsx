/** A user of the vendor, new or changed. */
import { useState } from 'preact/hooks'
import { addVendorUser, updateVendorUser, type Permission, type VendorRole, type VendorUsersQuery } from '../api/operations.js'
import { vendor } from '../api/session.js'
import { Dialog } from '../ui/dialog.js'
import { Field, valueOf } from '../ui/field.js'
import { Failure } from '../ui/states.js'
import { useChange } from '../ui/use-change.js'
import { PermissionChecks } from './permission-checks.js'

export type VendorUser = VendorUsersQuery['vendorUsers'][number]

export const roles: Record<VendorRole, string> = { owner: 'Owner', admin: 'Admin', member: 'Member' }

interface EditUserProps { vendorId: string, user: VendorUser | null, onClose: () => void, onSaved: () => void }

export function EditUser ({ vendorId, user, onClose, onSaved }: EditUserProps) {
  const [id, setId] = useState(user?.id ?? '')
  const [email, setEmail] = useState(user?.email ?? '')
  const [role, setRole] = useState<VendorRole>(user?.role ?? 'member')
  const [chosen, setChosen] = useState<ReadonlySet<Permission>>(new Set(user?.role === 'member' ? user.permissions : []))
  const [add, update] = [useChange(addVendorUser), useChange(updateVendorUser)]
  const { error, isBusy } = user === null ? add : update
  const offered = (['member', 'admin', 'owner'] as const).filter((each) => each !== 'owner' || vendor.value?.role === 'owner')

  const submit = (event: Event): void => {
    event.preventDefault()
    const standing = { vendorId, role, permissions: role === 'member' ? [...chosen] : null }
    void (user === null ? add.run({ input: { ...standing, id, email } }) : update.run({ input: { ...standing, id } })).then((done) => { if (done !== null) onSaved() })
  }
  return (
    <Dialog title={user === null ? 'Add a user' : `Change ${user.email}`} onClose={onClose}>
      <form style='padding:0' onSubmit={submit}>
        {user === null && (
          <>
            <Field label='E-mail'><input type='email' value={email} required maxLength={255} onInput={(event) => { setEmail(valueOf(event)) }} /></Field>
            <Field label='Id' hint='As whoever issues access tokens names the user: what stands in sub'><input value={id} required maxLength={128} onInput={(event) => { setId(valueOf(event)) }} /></Field>
          </>
        )}
        <Field label='Role'>
          <select value={role} onChange={(event) => { setRole(valueOf(event) as VendorRole) }}>
            {offered.map((each) => <option key={each} value={each}>{roles[each]}</option>)}
          </select>
        </Field>
        {role === 'member' ? <PermissionChecks chosen={chosen} onChoose={setChosen} /> : <p class='quiet'>{role === 'owner' ? 'May do everything, and make and change owners.' : 'May do everything but make and change owners.'}</p>}
        {error !== null && <Failure error={error} />}
        <div class='actions'><button type='button' onClick={onClose}>Close</button><button type='submit' class='primary' disabled={isBusy}>{user === null ? 'Add the user' : 'Save'}</button></div>
      </form>
    </Dialog>
  )
}
