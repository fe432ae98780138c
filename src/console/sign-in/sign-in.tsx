/** By a key, a token, or the one-time link that `npm start` prints. */
import { useEffect, useState } from 'preact/hooks'
import { tidyCredential } from '../api/credential.js'
import { viewer as viewerQuery } from '../api/operations.js'
import { askAll, reach, refusalIn } from '../api/request.js'
import { credential, keepCredential, signedOutBecause, signOut, viewer } from '../api/session.js'
import { Field, valueOf } from '../ui/field.js'
import { Skeleton } from '../ui/states.js'

export function SignIn () {
  const [text, setText] = useState('')
  const [isKept, setKept] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(credential.value !== null || codeInAddress() !== null)

  async function enter (given: string, keep: boolean): Promise<void> {
    const tidy = tidyCredential(given)
    if (tidy === null) return setError('This is no key and no token: they have no blanks in them.')
    setBusy(true)
    setError(null)
    keepCredential(tidy, keep)
    try {
      viewer.value = (await askAll(viewerQuery, {})).viewer
    } catch (failure) {
      const { message } = failure as Error
      signOut()
      setError(message)
    } finally {
      setBusy(false)
    }
  }

  async function redeem (code: string): Promise<void> {
    history.replaceState(null, '', location.pathname + location.search)
    try {
      const response = await reach('/console/sign-in', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ code }) })
      if (!response.ok) throw await refusalIn(response)
      // Kept: the link is good once, and a reload must not lose what it gave.
      await enter(((await response.json()) as { token: string }).token, true)
    } catch (failure) {
      setError((failure as Error).message)
      setBusy(false)
    }
  }

  useEffect(() => {
    const code = codeInAddress()
    if (code !== null) void redeem(code)
    else if (credential.value !== null) void enter(credential.value, true)
  }, [])

  const submit = (event: Event): void => {
    event.preventDefault()
    void enter(text, isKept)
  }
  useEffect(() => { document.title = 'Sign in · Catalog' }, [])
  if (isBusy && text === '') return <main class='sign-in'><Skeleton rows={4} /></main>
  return (
    <main class='sign-in'>
      <h1>Sign in to the catalog</h1>
      {signedOutBecause.value !== null && <p class='notice look' role='status'>{signedOutBecause.value}</p>}
      <form class='stack' onSubmit={submit}>
        <Field label='Key or access token' error={error} hint='An integration key (svc_…), a user key (svc_u_…), or an access token. What you see here is what it may see.'>
          <input type='password' autocomplete='off' spellcheck={false} value={text} onInput={(event) => { setText(valueOf(event)) }} required autofocus />
        </Field>
        <label class='check'>
          <input type='checkbox' checked={isKept} onChange={() => { setKept(!isKept) }} />
          <span>Stay signed in until this tab is closed</span>
        </label>
        <button type='submit' class='primary' disabled={isBusy}>Sign in</button>
      </form>
      <details>
        <summary>Where do I get one?</summary>
        <div class='stack' style='margin-top:12px'>
          <p>Whoever runs the service makes a key for a vendor:</p>
          <pre>npm run --silent catalog -- key create \{'\n'}  --vendor VENDOR --name console \{'\n'}  --permissions PRODUCT_MANAGE</pre>
          <p>or an access token for a person, who sees all that their role allows:</p>
          <pre>npm run --silent catalog -- token create --user USER</pre>
        </div>
      </details>
    </main>
  )
}

/** Of a one-time link; it stands behind #, so that no server ever saw it in an address. */
function codeInAddress (): string | null {
  const code = location.hash.slice(1)
  return /^[\w-]{32}$/.test(code) ? code : null
}
