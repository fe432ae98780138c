/** A new key, which is shown once. */
import { useState } from 'preact/hooks'
import { createIntegrationKey, createUserKey, type Permission } from '../api/operations.js'
import { vendor } from '../api/session.js'
import { announce } from '../ui/announce.js'
import { Dialog } from '../ui/dialog.js'
import { Field, valueOf } from '../ui/field.js'
import { Failure } from '../ui/states.js'
import { useChange } from '../ui/use-change.js'
import { PermissionChecks } from './permission-checks.js'

interface CreateKeyProps { kind: 'integration' | 'user', onClose: () => void, onMade: () => void }

export function CreateKey ({ kind, onClose, onMade }: CreateKeyProps) {
  const [name, setName] = useState('')
  const [until, setUntil] = useState('')
  const [chosen, setChosen] = useState<ReadonlySet<Permission>>(new Set(['PRODUCT_MANAGE']))
  const [made, setMade] = useState<string | null>(null)
  const [integration, user] = [useChange(createIntegrationKey), useChange(createUserKey)]
  const { error, isBusy } = kind === 'integration' ? integration : user

  async function submit (event: Event): Promise<void> {
    event.preventDefault()
    // To the end of the day that was chosen, here.
    const expiresAt = until === '' ? null : new Date(`${until}T23:59:59`).toISOString()
    const key = kind === 'integration'
      ? (await integration.run({ input: { vendorId: vendor.value?.id ?? '', name, permissions: [...chosen], expiresAt } }))?.createIntegrationApiKey.key
      : (await user.run({ input: { name, expiresAt } }))?.createUserApiKey.key
    if (key === undefined) return
    setMade(key)
    onMade()
  }
  if (made !== null) return <Dialog title={`The key ${name}`} onClose={onClose}><Made made={made} onClose={onClose} /></Dialog>
  return (
    <Dialog title='Make a key' onClose={onClose}>
      <form style='padding:0' onSubmit={(event) => { void submit(event) }}>
        <Field label='Name' hint='What it is for, so that it can be told from others later'><input value={name} required maxLength={255} onInput={(event) => { setName(valueOf(event)) }} /></Field>
        <Field label='Works until' hint='Empty: until it is revoked'><input type='date' value={until} onInput={(event) => { setUntil(valueOf(event)) }} /></Field>
        {kind === 'integration' && <PermissionChecks chosen={chosen} onChoose={setChosen} />}
        {error !== null && <Failure error={error} />}
        <div class='actions'><button type='button' onClick={onClose}>Close</button><button type='submit' class='primary' disabled={isBusy || (kind === 'integration' && chosen.size === 0)}>Make the key</button></div>
      </form>
    </Dialog>
  )
}

function Made ({ made, onClose }: { made: string, onClose: () => void }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(made)
    setCopied(true)
    announce('Copied')
  }
  return (
    <>
      <p>Keep it now: it is shown this once. The service stores no more than its hash.</p>
      <div class='key'><code>{made}</code><button type='button' onClick={() => { void copy().catch(() => { /* It can be marked and copied by hand. */ }) }}>{isCopied ? 'Copied' : 'Copy'}</button></div>
      <div class='actions'><button type='button' class='primary' onClick={onClose}>Done</button></div>
    </>
  )
}
