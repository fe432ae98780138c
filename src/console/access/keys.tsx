/** Integration keys of the vendor, and the reader's own: made, shown once, revoked. */
import { useState } from 'preact/hooks'
import { integrationKeys, revokeIntegrationKey, revokeUserKey, userKeys, type IntegrationKeyFragment, type UserKeyFragment } from '../api/operations.js'
import { vendor, viewer } from '../api/session.js'
import { announce } from '../ui/announce.js'
import { Question } from '../ui/dialog.js'
import { wordFullTime } from '../ui/format.js'
import { Empty, Failure, Skeleton } from '../ui/states.js'
import { useAnswer } from '../ui/use-answer.js'
import { useChange } from '../ui/use-change.js'
import { CreateKey } from './create-key.js'

export function IntegrationKeys () {
  const { data, error, reload } = useAnswer(integrationKeys, { vendorId: vendor.value?.id ?? '' })
  const revoke = useChange(revokeIntegrationKey)
  return <Keys keys={data?.integrationApiKeys ?? null} error={error} reload={reload} kind='integration' revoke={revoke} about='A program of the vendor signs in with one of these. It may do what was chosen for it, and nothing else.' />
}

export function UserKeys () {
  const { data, error, reload } = useAnswer(userKeys, {})
  const revoke = useChange(revokeUserKey)
  return <Keys keys={data?.userApiKeys ?? null} error={error} reload={reload} kind='user' revoke={revoke} about='A script of yours signs in with one of these. It may do what you may, for as long as you may.' />
}

type Key = UserKeyFragment & Partial<Pick<IntegrationKeyFragment, 'permissions' | 'createdBy'>>

interface KeysProps {
  keys: Key[] | null
  error: Error | null
  reload: () => void
  kind: 'integration' | 'user'
  revoke: { isBusy: boolean, error: Error | null, run: (variables: { id: string }) => Promise<unknown>, clear: () => void }
  about: string
}

function Keys ({ keys, error, reload, kind, revoke, about }: KeysProps) {
  const [isMaking, setMaking] = useState(false)
  const [doomed, setDoomed] = useState<Key | null>(null)
  const mayMake = viewer.value?.isInPerson === true
  const yes = async ({ id }: Key): Promise<void> => {
    if (await revoke.run({ id }) === null) return
    setDoomed(null)
    announce('The key is revoked')
    reload()
  }
  return (
    <>
      <div class='row' style='justify-content:space-between;margin-bottom:12px'><p class='quiet'>{about}</p>{mayMake && <button type='button' class='primary' onClick={() => { setMaking(true) }}>Make a key</button>}</div>
      {error !== null && <Failure error={error} retry={reload} />}
      {error === null && keys === null && <Skeleton rows={4} />}
      {keys !== null && keys.length === 0 && <Empty title='No keys yet' />}
      {keys !== null && keys.length > 0 && (
        <div class='table' role='region' aria-label='Keys' tabIndex={0}>
          <table>
            <thead><tr><th>Name</th><th>Ends in</th><th>State</th>{kind === 'integration' && <th>May</th>}<th>Made</th><th>Last used</th><th><span class='sr-only'>Actions</span></th></tr></thead>
            <tbody>
              {keys.map((key) => (
                <tr key={key.id}>
                  <td class='wrap'>{key.name}</td><td><code>{key.hint}</code></td><td><KeyState apiKey={key} /></td>
                  {kind === 'integration' && <td class='wrap small'>{key.permissions?.join(', ')}</td>}
                  <td class='nowrap'>{wordFullTime(key.createdAt)}{key.createdBy != null && <div class='quiet small wrap'>{key.createdBy}</div>}</td>
                  <td class='nowrap'>{key.lastUsedAt === null ? <span class='quiet'>never</span> : wordFullTime(key.lastUsedAt)}</td>
                  <td class='number'>{key.revokedAt === null && <button type='button' class='plain' onClick={() => { setDoomed(key) }}>Revoke<span class='sr-only'> {key.name}</span></button>}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {isMaking && <CreateKey kind={kind} onClose={() => { setMaking(false) }} onMade={reload} />}
      {doomed !== null && (
        <Question title={`Revoke the key ${doomed.name}?`} yes='Revoke the key' isBusy={revoke.isBusy} error={revoke.error} onYes={() => { void yes(doomed) }} onClose={() => { setDoomed(null) }}>
          <p>Whoever uses it is refused within five seconds, and stays so: a revoked key never works again.</p>
        </Question>
      )}
    </>
  )
}

function KeyState ({ apiKey: { revokedAt, expiresAt } }: { apiKey: Key }) {
  if (revokedAt !== null) return <span class='state'>Revoked<span class='small quiet'> {wordFullTime(revokedAt)}</span></span>
  if (expiresAt !== null && Date.parse(expiresAt) <= Date.now()) return <span class='state'>Expired</span>
  return <span class='state done'>Works{expiresAt !== null && <span class='small quiet'> until {wordFullTime(expiresAt)}</span>}</span>
}
