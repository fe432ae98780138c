/** Keys, for those who may have a say in them, and what was done with them. */
import { isAdmin, viewer } from '../api/session.js'
import { navigate, queryOf } from '../router.js'
import { Page } from '../ui/page.js'
import { AuditLog } from './audit-log.js'
import { IntegrationKeys, UserKeys } from './keys.js'
import { SftpKeys } from './sftp-keys.js'
import { VendorUsers } from './vendor-users.js'

export function AccessPage () {
  const tabs: Array<[name: string, title: string]> = [
    ...isAdmin() ? [['integration', 'Integration keys'] as [string, string]] : [],
    ['own', 'My keys'],
    ...isAdmin() ? [['sftp', 'SFTP keys'], ['users', 'Users'], ['audit', 'Audit log']] as Array<[string, string]> : []
  ]
  const wanted = queryOf('show')
  const shown = tabs.some(([name]) => name === wanted) ? wanted : tabs[0]?.[0]
  return (
    <Page title='Access'>
      <div class='row' role='group' aria-label='Show' style='margin-bottom:16px'>
        {tabs.map(([name, title]) => <button type='button' key={name} class={name === shown ? 'primary' : ''} aria-pressed={name === shown} onClick={() => { navigate(`/access?show=${name}`, { replace: true }) }}>{title}</button>)}
      </div>
      {viewer.value?.isInPerson === false && shown !== 'audit' && (
        <p class='notice look' style='margin-bottom:16px'>
          You are signed in by a key. {shown === 'users' ? 'Users are added, changed and removed by persons: sign in with an access token for that.' : 'Keys are made and changed by persons: sign in with an access token for that. A key may revoke keys.'}
        </p>
      )}
      {shown === 'integration' && <IntegrationKeys />}
      {shown === 'own' && <UserKeys />}
      {shown === 'sftp' && <SftpKeys />}
      {shown === 'users' && <VendorUsers />}
      {shown === 'audit' && <AuditLog />}
    </Page>
  )
}
