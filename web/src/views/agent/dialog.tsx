import { useEffect, useRef, type ReactNode } from 'react'

/** A dialog that is open as long as it is there. Whoever opened it has the focus afterwards. */
export function Dialog({
  title,
  close,
  children,
}: {
  readonly title: string
  readonly close: () => void
  readonly children: ReactNode
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    return () => {
      // Taken away and not closed: the browser gives nothing back.
      if (before instanceof HTMLElement && before.isConnected && before !== document.body)
        before.focus()
      else document.getElementById('main')?.focus()
    }
  }, [])
  return (
    <dialog ref={dialog} className="agent-dialog" aria-label={title} onClose={close}>
      <h2>{title}</h2>
      {children}
    </dialog>
  )
}
