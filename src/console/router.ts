/** Where the reader is, and how to get elsewhere. Addresses are below /console and can be shared. */
import { computed, signal } from '@preact/signals'

export const base = '/console'

export const address = signal(readAddress())

function readAddress (): { path: string, query: URLSearchParams } {
  const { pathname, search } = location
  return { path: pathname.slice(base.length).replace(/\/+$/, '') || '/', query: new URLSearchParams(search) }
}

export const path = computed(() => address.value.path)

/** `to` is below /console: `/imports?status=failed`. */
export function navigate (to: string, { replace = false }: { replace?: boolean } = {}): void {
  history[replace ? 'replaceState' : 'pushState'](null, '', `${base}${to}`)
  address.value = readAddress()
}

/** The same page with these in its query; null takes one away. */
export function setQuery (changes: Record<string, string | null>, { replace = true }: { replace?: boolean } = {}): void {
  const query = new URLSearchParams(address.value.query)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') query.delete(name)
    else query.set(name, value)
  }
  const text = query.toString()
  navigate(`${address.value.path}${text === '' ? '' : `?${text}`}`, { replace })
}

export const queryOf = (name: string): string => address.value.query.get(name) ?? ''

export function startRouter (): void {
  addEventListener('popstate', () => { address.value = readAddress() })
}
