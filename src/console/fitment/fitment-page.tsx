/** What products fit: the facets that a shopper is asked about, and the targets that they come to. */
import { useState } from 'preact/hooks'
import { deleteFacet, deleteTarget, facets as facetsQuery, targets as targetsQuery, type FacetFragment, type TargetFragment } from '../api/operations.js'
import { queryOf, setQuery } from '../router.js'
import { announce } from '../ui/announce.js'
import { Question } from '../ui/dialog.js'
import { Field, valueOf } from '../ui/field.js'
import { Page } from '../ui/page.js'
import { Pager } from '../ui/pager.js'
import { Empty, Failure, Skeleton } from '../ui/states.js'
import { useAnswer } from '../ui/use-answer.js'
import { useChange } from '../ui/use-change.js'
import { EditFacet } from './edit-facet.js'
import { EditTarget } from './edit-target.js'
import { valuesOf } from './facet-values.js'

type Open = { kind: 'facet', facet: FacetFragment | null } | { kind: 'target', target: TargetFragment | null } | { kind: 'delete-facet', facet: FacetFragment } | { kind: 'delete-target', target: TargetFragment }

export function FitmentPage () {
  const facets = useAnswer(facetsQuery, {})
  const all = facets.data?.fitmentFacets ?? []
  const wanted = Object.fromEntries(all.map(({ slug }): [string, string] => [slug, queryOf(`f.${slug}`)]).filter(([, value]) => value !== ''))
  const targets = useAnswer(targetsQuery, facets.data === null
    ? null
    : { input: { limit: 100, cursor: queryOf('after') || null, ...Object.keys(wanted).length === 0 ? {} : { facetValues: wanted } } })
  const [open, setOpen] = useState<Open | null>(null)
  const close = (): void => { setOpen(null) }
  const done = (text: string) => (): void => {
    close()
    announce(text)
    facets.reload()
    targets.reload()
  }
  const error = facets.error ?? targets.error
  const actions = (
    <>
      <button type='button' onClick={() => { setOpen({ kind: 'facet', facet: null }) }}>Add a facet</button>
      <button type='button' class='primary' disabled={all.length === 0} onClick={() => { setOpen({ kind: 'target', target: null }) }}>Add a target</button>
    </>
  )
  return (
    <Page title='Fitment' actions={actions}>
      {error !== null && <Failure error={error} retry={done('')} />}
      {error === null && facets.data === null && <Skeleton />}
      {facets.data !== null && all.length === 0 && (
        <Empty title='No facets yet'>
          <p>Facets are what a shopper is asked about, in order: make, model, year. A target is one combination of their values; products name the targets that they fit, in <code>fitmentTargetExternalIds</code>. Products that name none fit everything.</p>
          <button type='button' class='primary' onClick={() => { setOpen({ kind: 'facet', facet: null }) }}>Add a facet</button>
        </Empty>
      )}
      {all.length > 0 && <Facets facets={all} onOpen={setOpen} />}
      {all.length > 0 && (
        <section>
          <h2>Targets</h2>
          <div class='filters'>
            {all.map(({ slug, name }) => (
              <Field key={slug} label={name}><input value={queryOf(`f.${slug}`)} placeholder='Exactly' onChange={(event) => { setQuery({ [`f.${slug}`]: valueOf(event).trim(), after: null }) }} /></Field>
            ))}
          </div>
          {targets.data === null && targets.error === null && <Skeleton />}
          {targets.data !== null && <Targets targets={targets.data.fitmentTargets.targets} facets={all} onOpen={setOpen} />}
          {targets.data !== null && <Pager shown={targets.data.fitmentTargets.targets.length} total={null} endCursor={targets.data.fitmentTargets.nextCursor} hasNextPage={targets.data.fitmentTargets.nextCursor !== null} of='targets' />}
        </section>
      )}
      {open?.kind === 'facet' && <EditFacet facet={open.facet} nextPosition={all.length} onClose={close} onSaved={done('The facet is saved')} />}
      {open?.kind === 'target' && <EditTarget target={open.target} facets={all} onClose={close} onSaved={done('The target is saved')} />}
      {open?.kind === 'delete-facet' && <DeleteFacet facet={open.facet} onClose={close} onDeleted={done('The facet is deleted')} />}
      {open?.kind === 'delete-target' && <DeleteTarget target={open.target} onClose={close} onDeleted={done('The target is deleted')} />}
    </Page>
  )
}

function Facets ({ facets, onOpen }: { facets: FacetFragment[], onOpen: (open: Open) => void }) {
  return (
    <section>
      <h2>Facets, in the order in which they are asked about</h2>
      <div class='table' role='region' aria-label='Facets' tabIndex={0}>
        <table>
          <thead><tr><th class='number' style='width:72px'>Position</th><th>Name</th><th>Slug</th><th><span class='sr-only'>Actions</span></th></tr></thead>
          <tbody>
            {facets.map((facet) => (
              <tr key={facet.id}>
                <td class='number'>{facet.position}</td><td class='wrap'>{facet.name}</td><td><code>{facet.slug}</code></td>
                <td class='number nowrap'>
                  <button type='button' class='plain' onClick={() => { onOpen({ kind: 'facet', facet }) }}>Change<span class='sr-only'> {facet.name}</span></button>{' '}
                  <button type='button' class='plain' onClick={() => { onOpen({ kind: 'delete-facet', facet }) }}>Delete<span class='sr-only'> {facet.name}</span></button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

function Targets ({ targets, facets, onOpen }: { targets: TargetFragment[], facets: FacetFragment[], onOpen: (open: Open) => void }) {
  if (targets.length === 0) return <p class='quiet'>No target has these values. Values are compared exactly here; the assistant forgives spelling.</p>
  return (
    <div class='table' role='region' aria-label='Targets' tabIndex={0}>
      <table>
        <thead><tr><th>Id</th><th>Label</th>{facets.map(({ id, name }) => <th key={id}>{name}</th>)}<th><span class='sr-only'>Actions</span></th></tr></thead>
        <tbody>
          {targets.map((target) => (
            <tr key={target.id}>
              <td class='wrap'><code>{target.externalId}</code></td><td class='wrap'>{target.label}</td>
              {facets.map(({ id, slug }) => <td key={id} class='wrap'>{valuesOf(target)[slug]}</td>)}
              <td class='number nowrap'>
                <button type='button' class='plain' onClick={() => { onOpen({ kind: 'target', target }) }}>Change<span class='sr-only'> {target.externalId}</span></button>{' '}
                <button type='button' class='plain' onClick={() => { onOpen({ kind: 'delete-target', target }) }}>Delete<span class='sr-only'> {target.externalId}</span></button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function DeleteFacet ({ facet, onClose, onDeleted }: { facet: FacetFragment, onClose: () => void, onDeleted: () => void }) {
  const change = useChange(deleteFacet)
  const yes = async (): Promise<void> => { if (await change.run({ id: facet.id }) !== null) onDeleted() }
  return (
    <Question title={`Delete the facet ${facet.name}?`} yes='Delete the facet' isBusy={change.isBusy} error={change.error} onYes={() => { void yes() }} onClose={onClose}>
      <p>Its values are removed from every target, and labels that were made of them are made anew. Shoppers are not asked about it any more.</p>
    </Question>
  )
}

function DeleteTarget ({ target, onClose, onDeleted }: { target: TargetFragment, onClose: () => void, onDeleted: () => void }) {
  const change = useChange(deleteTarget)
  const yes = async (): Promise<void> => { if (await change.run({ id: target.id }) !== null) onDeleted() }
  return (
    <Question title={`Delete the target ${target.label ?? target.externalId}?`} yes='Delete the target' isBusy={change.isBusy} error={change.error} onYes={() => { void yes() }} onClose={onClose}>
      <p>It is unlinked from all products and variants. A product that is left without any target fits everything from then on.</p>
    </Question>
  )
}
