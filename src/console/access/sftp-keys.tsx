/** The keys that may log in over SFTP as the vendor. */
import { useState } from 'preact/hooks'
import { addSftpKey, revokeSftpKey, sftpKeys, type SftpKeysQuery } from '../api/operations.js'
import { vendor, viewer } from '../api/session.js'
import { announce } from '../ui/announce.js'
import { Dialog, Question } from '../ui/dialog.js'
import { Field, valueOf } from '../ui/field.js'
import { wordFullTime } from '../ui/format.js'
import { Empty, Failure, Skeleton } from '../ui/states.js'
import { useAnswer } from '../ui/use-answer.js'
import { useChange } from '../ui/use-change.js'

type Key = SftpKeysQuery['sftpKeys'][number]

export function SftpKeys () {
  const vendorId = vendor.value?.id ?? ''
  const { data, error, reload } = useAnswer(sftpKeys, { vendorId })
  const remove = useChange(revokeSftpKey)
  const [isAdding, setAdding] = useState(false)
  const [doomed, setDoomed] = useState<Key | null>(null)
  const keys = data?.sftpKeys ?? []
  const yes = async ({ id }: Key): Promise<void> => {
    if (await remove.run({ vendorId, id }) === null) return
    setDoomed(null)
    announce('The key is removed')
    reload()
  }
  const added = (): void => {
    setAdding(false)
    announce('The key is added')
    reload()
  }
  return (
    <>
      <div class='row' style='justify-content:space-between;margin-bottom:12px'>
        <p class='quiet'>Whoever has the private half of one of these uploads files as <code>{vendorId}</code> over the built-in SFTP server.</p>
        {viewer.value?.isInPerson === true && <button type='button' class='primary' onClick={() => { setAdding(true) }}>Add a key</button>}
      </div>
      {error !== null && <Failure error={error} retry={reload} />}
      {error === null && data === null && <Skeleton rows={4} />}
      {data !== null && keys.length === 0 && <Empty title='No keys yet'><p>Make one, keep the private half to yourself, and add the public one here:</p><pre>ssh-keygen -t ed25519 -f {vendorId}_key</pre></Empty>}
      {keys.length > 0 && (
        <div class='table' role='region' aria-label='SFTP keys' tabIndex={0}>
          <table>
            <thead><tr><th>Fingerprint</th><th>Comment</th><th>Added</th><th><span class='sr-only'>Actions</span></th></tr></thead>
            <tbody>
              {keys.map((key) => (
                <tr key={key.id}>
                  <td class='wrap'><code>{key.id}</code></td><td class='wrap'>{key.comment}</td><td class='nowrap'>{wordFullTime(key.createdAt)}</td>
                  <td class='number'><button type='button' class='plain' onClick={() => { setDoomed(key) }}>Remove<span class='sr-only'> {key.comment} {key.id}</span></button></td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {isAdding && <AddKey vendorId={vendorId} onClose={() => { setAdding(false) }} onAdded={added} />}
      {doomed !== null && (
        <Question title={`Remove the key ${doomed.comment === '' ? doomed.id : doomed.comment}?`} yes='Remove the key' isBusy={remove.isBusy} error={remove.error} onYes={() => { void yes(doomed) }} onClose={() => { setDoomed(null) }}>
          <p>It opens no new connection, and those that it has opened end within five seconds. An upload under way is left as by a connection that broke.</p>
        </Question>
      )}
    </>
  )
}

function AddKey ({ vendorId, onClose, onAdded }: { vendorId: string, onClose: () => void, onAdded: () => void }) {
  const [publicKey, setPublicKey] = useState('')
  const add = useChange(addSftpKey)
  const submit = (event: Event): void => {
    event.preventDefault()
    void add.run({ vendorId, publicKey }).then((done) => { if (done !== null) onAdded() })
  }
  return (
    <Dialog title='Add an SFTP key' onClose={onClose}>
      <form style='padding:0' onSubmit={submit}>
        <Field label='Public key' hint='What is in the .pub file, on one line: ssh-ed25519 AAAA… comment'><textarea rows={4} required value={publicKey} onInput={(event) => { setPublicKey(valueOf(event)) }} /></Field>
        {add.error !== null && <Failure error={add.error} />}
        <div class='actions'><button type='button' onClick={onClose}>Close</button><button type='submit' class='primary' disabled={add.isBusy}>Add the key</button></div>
      </form>
    </Dialog>
  )
}
