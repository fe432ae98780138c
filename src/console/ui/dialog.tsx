/** Dialogs: Escape closes them, and what opened them has the focus again. */
import { useEffect, useId, useRef } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import { Failure } from './states.js'

interface DialogProps { title: string, onClose: () => void, children: ComponentChildren, isWide?: boolean }

export function Dialog ({ title, onClose, children, isWide = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const opener = document.activeElement
    dialog.current?.showModal()
    return () => { if (opener instanceof HTMLElement) opener.focus() }
  }, [])
  return (
    <dialog ref={dialog} class={isWide ? 'wide' : ''} aria-labelledby={id} onClose={onClose}>
      <div class='body'>
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  )
}

interface QuestionProps { title: string, children: ComponentChildren, yes: string, isBusy: boolean, error: Error | null, onYes: () => void, onClose: () => void }

/** Before what cannot be taken back. */
export function Question ({ title, children, yes, isBusy, error, onYes, onClose }: QuestionProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      {error !== null && <Failure error={error} />}
      <div class='actions'>
        <button type='button' onClick={onClose}>Keep it</button>
        <button type='button' class='danger' disabled={isBusy} onClick={onYes}>{yes}</button>
      </div>
    </Dialog>
  )
}
