/** Who belongs to the vendor, and may do what there. */
import { useState } from 'preact/hooks'
import { removeVendorUser, vendorUsers, type RemoveVendorUserMutation } from '../api/operations.js'
import { vendor, viewer } from '../api/session.js'
import { announce } from '../ui/announce.js'
import { Dialog, Question } from '../ui/dialog.js'
import { Failure, Skeleton } from '../ui/states.js'
import { useAnswer } from '../ui/use-answer.js'
import { useChange } from '../ui/use-change.js'
import { EditUser, roles, type VendorUser } from './edit-user.js'

type Removed = RemoveVendorUserMutation['removeVendorUser']

export function VendorUsers () {
  const vendorId = vendor.value?.id ?? ''
  const { data, error, reload } = useAnswer(vendorUsers, { vendorId })
  const remove = useChange(removeVendorUser)
  /** null: a new one. */
  const [edited, setEdited] = useState<VendorUser | null | undefined>(undefined)
  const [doomed, setDoomed] = useState<VendorUser | null>(null)
  const [removed, setRemoved] = useState<Removed | null>(null)
  const users = data?.vendorUsers ?? []
  const isInPerson = viewer.value?.isInPerson === true
  /** Owners are owners' to change. */
  const mayChange = ({ role }: VendorUser): boolean => isInPerson && (role !== 'owner' || vendor.value?.role === 'owner')
  const yes = async ({ id }: VendorUser): Promise<void> => {
    const done = await remove.run({ vendorId, id })
    if (done === null) return
    setDoomed(null)
    announce('The user is removed')
    if (done.removeVendorUser.integrationApiKeys.length > 0) setRemoved(done.removeVendorUser)
    reload()
  }
  const saved = (): void => {
    setEdited(undefined)
    announce('The user is saved')
    reload()
  }
  return (
    <>
      <div class='row' style='justify-content:space-between;margin-bottom:12px'>
        <p class='quiet'>Owners and admins may do everything, a member what is chosen for it. Owners are made by owners.</p>
        {isInPerson && <button type='button' class='primary' onClick={() => { setEdited(null) }}>Add a user</button>}
      </div>
      {error !== null && <Failure error={error} retry={reload} />}
      {error === null && data === null && <Skeleton rows={4} />}
      {users.length > 0 && (
        <div class='table' role='region' aria-label='Users' tabIndex={0}>
          <table>
            <thead><tr><th>E-mail</th><th>Id</th><th>Role</th><th>May</th><th><span class='sr-only'>Actions</span></th></tr></thead>
            <tbody>
              {users.map((user) => (
                <tr key={user.id}>
                  <td class='wrap'>{user.email}{user.id === viewer.value?.id && <span class='quiet'> (you)</span>}</td><td class='wrap'><code>{user.id}</code></td><td>{roles[user.role]}</td>
                  <td class='wrap small'>{user.role === 'member' ? user.permissions.join(', ') || 'Nothing but what everybody may' : 'Everything'}</td>
                  <td class='number nowrap'>
                    {mayChange(user) && (
                      <>
                        <button type='button' class='plain' onClick={() => { setEdited(user) }}>Change<span class='sr-only'> {user.email}</span></button>{' '}
                        <button type='button' class='plain' onClick={() => { setDoomed(user) }}>Remove<span class='sr-only'> {user.email}</span></button>
                      </>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {edited !== undefined && <EditUser vendorId={vendorId} user={edited} onClose={() => { setEdited(undefined) }} onSaved={saved} />}
      {doomed !== null && (
        <Question title={`Remove ${doomed.email}?`} yes='Remove the user' isBusy={remove.isBusy} error={remove.error} onYes={() => { void yes(doomed) }} onClose={() => { setDoomed(null) }}>
          <p>{doomed.id === viewer.value?.id ? 'That is you: within five seconds you' : 'Within five seconds the user'} may do nothing at this vendor any more, by token or by key. Integration keys that {doomed.id === viewer.value?.id ? 'you have' : 'the user has'} made go on working; they are told then.</p>
        </Question>
      )}
      {removed !== null && <LeftKeys removed={removed} onClose={() => { setRemoved(null) }} />}
    </>
  )
}

function LeftKeys ({ removed, onClose }: { removed: Removed, onClose: () => void }) {
  return (
    <Dialog title={`Keys that ${removed.id} has made`} onClose={onClose}>
      <p>They still work. Whoever knows one may go on using it: revoke those that nothing of yours needs, under Integration keys.</p>
      <ul>{removed.integrationApiKeys.map(({ id, name, hint }) => <li key={id} class='wrap'>{name}, ends in <code>{hint}</code></li>)}</ul>
      <div class='actions'><button type='button' class='primary' onClick={onClose}>Done</button></div>
    </Dialog>
  )
}
