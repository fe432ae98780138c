/** Who belongs to the vendor, and may do what there. */
import { vendorUsers } from '../api/operations.js'
import { vendor } from '../api/session.js'
import { Empty, Failure, Skeleton } from '../ui/states.js'
import { useAnswer } from '../ui/use-answer.js'

const roles = { owner: 'Owner', admin: 'Admin', member: 'Member' } as const

export function VendorUsers () {
  const vendorId = vendor.value?.id ?? ''
  const { data, error, reload } = useAnswer(vendorUsers, { vendorId })
  const users = data?.vendorUsers ?? []
  return (
    <>
      <p class='quiet' style='margin-bottom:12px'>Owners and admins may do everything here. Whoever runs the service adds users and changes what they may: <code>catalog user grant --id USER --vendor {vendorId} --role member --permissions …</code></p>
      {error !== null && <Failure error={error} retry={reload} />}
      {error === null && data === null && <Skeleton rows={4} />}
      {data !== null && users.length === 0 && <Empty title='No users yet' />}
      {users.length > 0 && (
        <div class='table' role='region' aria-label='Users' tabIndex={0}>
          <table>
            <thead><tr><th>E-mail</th><th>Id</th><th>Role</th><th>May</th></tr></thead>
            <tbody>
              {users.map(({ id, email, role, permissions }) => (
                <tr key={id}><td class='wrap'>{email}</td><td class='wrap'><code>{id}</code></td><td>{roles[role]}</td><td class='wrap small'>{role === 'member' ? permissions.join(', ') : 'Everything'}</td></tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  )
}
