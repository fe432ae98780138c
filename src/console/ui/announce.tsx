/** Tells those who listen to the page, when they have heard the rest, what has changed on it. */
import { signal } from '@preact/signals'

const said = signal('')

export function announce (text: string): void {
  said.value = text
}

export function Announcer () {
  return <div class='sr-only' role='status' aria-live='polite'>{said.value}</div>
}
