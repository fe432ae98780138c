/** `/` goes to the page's search, `g` and a letter to an area. Not while something is being typed. */
import { navigate } from '../router.js'
import type { Area } from './areas.js'

const goWithinMs = 1_500

export function startKeyboard (areasNow: () => readonly Area[]): () => void {
  let wentAt = -Infinity
  const onKey = (event: KeyboardEvent): void => {
    const { key, target } = event
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(target) || document.querySelector('dialog[open]') !== null) return
    if (key === '/') {
      const search = document.querySelector<HTMLInputElement>('input[type=search]')
      if (search === null) return
      event.preventDefault()
      search.focus()
    } else if (key === 'g') {
      wentAt = event.timeStamp
    } else if (event.timeStamp - wentAt < goWithinMs) {
      wentAt = -Infinity
      const area = areasNow().find((each) => each.key === key)
      if (area !== undefined) navigate(area.to)
    }
  }
  addEventListener('keydown', onKey)
  return () => { removeEventListener('keydown', onKey) }
}

const isTyping = (target: EventTarget | null): boolean => target instanceof HTMLElement && target.closest('input, select, textarea, [contenteditable]') !== null
