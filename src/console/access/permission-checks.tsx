/** What a key or a member may do: chosen among all that the reader may, who is owner or admin. */
import type { Permission } from '../api/operations.js'
import { vendor } from '../api/session.js'

export function PermissionChecks ({ chosen, onChoose }: { chosen: ReadonlySet<Permission>, onChoose: (chosen: ReadonlySet<Permission>) => void }) {
  const toggle = (permission: Permission, isChosen: boolean): void => {
    const next = new Set(chosen)
    if (isChosen) next.add(permission)
    else next.delete(permission)
    onChoose(next)
  }
  return (
    <fieldset>
      <legend>It may</legend>
      <div class='checks'>
        {(vendor.value?.permissions ?? []).map((permission) => (
          <label class='check' key={permission}><input type='checkbox' checked={chosen.has(permission)} onChange={(event) => { toggle(permission, event.currentTarget.checked) }} /><span class='small' style='line-height:20px'>{permission}</span></label>
        ))}
      </div>
    </fieldset>
  )
}
