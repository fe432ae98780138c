/** The frame of a page: its title, where it belongs, what can be done with it as a whole. */
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import { Link } from './link.js'

/** `note`: beside the title, where what comes and goes moves nothing. */
interface PageProps { title: string, parent?: { to: string, title: string }, note?: ComponentChildren, actions?: ComponentChildren, children: ComponentChildren }

export function Page ({ title, parent, note, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Catalog`
  }, [title])
  // Who listens to the page hears where it has got to.
  useLayoutEffect(() => { heading.current?.focus({ preventScroll: true }) }, [])
  return (
    <>
      <header class='head'>
        <div>
          {parent !== undefined && <p class='crumb'><Link to={parent.to}>{parent.title}</Link></p>}
          <div class='title'><h1 ref={heading} tabIndex={-1}>{title}</h1>{note}</div>
        </div>
        {actions !== undefined && <div class='actions'>{actions}</div>}
      </header>
      {children}
    </>
  )
}
