/** Milliseconds after `g` in which a key leads to another view: later it is meant for itself. */
export const LEADS = 2000

/** Whether what is pressed goes into a field, a dialog or a terminal, and is no command of the page. */
export function isTyping(event: KeyboardEvent): boolean {
  const target = event.target
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.closest('input, textarea, select, dialog[open], [data-takes-keys]') !== null)
  )
}
