/** Keys, for those who may have a say in them, and what was done with them. */
import { isAdmin, viewer } from '../api/session.js'
import { queryOf, setQuery } from '../router.js'
import { Page } from '../ui/page.js'
import { AuditLog } from './audit-log.js'
import { IntegrationKeys, UserKeys } from './keys.js'

export function AccessPage () {
  const tabs: Array<[string, string]> = [...isAdmin() ? [['integration', 'Integration keys']] as Array<[string, string]> : [], ['own', 'My keys'], ...isAdmin() ? [['audit', 'Audit log']] as Array<[string, string]> : []]
  const wanted = queryOf('show')
  const shown = tabs.some(([name]) => name === wanted) ? wanted : tabs[0]?.[0]
  return (
    <Page title='Access'>
      <div class='row' role='group' aria-label='Show' style='margin-bottom:16px'>
        {tabs.map(([name, title]) => <button type='button' key={name} class={name === shown ? 'primary' : ''} aria-pressed={name === shown} onClick={() => { setQuery({ show: name, after: null }) }}>{title}</button>)}
      </div>
      {viewer.value?.isInPerson === false && shown !== 'audit' && <p class='notice look' style='margin-bottom:16px'>You are signed in by a key. Keys are made and changed by persons: sign in with an access token for that. A key may revoke keys.</p>}
      {shown === 'integration' && <IntegrationKeys />}
      {shown === 'own' && <UserKeys />}
      {shown === 'audit' && <AuditLog />}
    </Page>
  )
}
