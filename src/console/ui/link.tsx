/** A link to another page of the console, which is not loaded anew. */
import type { ComponentChildren } from 'preact'
import { base, navigate } from '../router.js'

interface LinkProps { to: string, children: ComponentChildren, class?: string, current?: boolean }

/** What makes a link of an element, also of one in a picture. */
export function linkTo (to: string): { href: string, onClick: (event: MouseEvent) => void } {
  return {
    href: `${base}${to}`,
    onClick: (event) => {
      // A new tab or window is the browser's affair.
      if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
      event.preventDefault()
      navigate(to)
      scrollTo(0, 0)
    }
  }
}

export function Link ({ to, children, current, ...rest }: LinkProps) {
  return <a {...linkTo(to)} {...current === true ? { 'aria-current': 'page' as const } : {}} {...rest}>{children}</a>
}
