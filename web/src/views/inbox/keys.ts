import { useLayoutEffect } from 'react'
import { isTyping } from '../../parts/keys.ts'

/** What keys press: the first of these that the item has. */
const PRESSES: Readonly<Record<string, string>> = {
  a: '[data-approve]',
  d: '[data-deny]',
  r: '[data-resume]',
}
const ANSWERS = '.inbox-item [data-answer], .inbox-item [data-first], .inbox-item [data-resume]'

export function useInboxKeys({
  move,
  end,
}: {
  readonly move: (by: number) => void
  readonly end: (which: 'first' | 'last') => void
}): void {
  // Before it is seen, so that no key is lost that is pressed then.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return
      const { key } = event
      const press = PRESSES[key]
      if (key === 'j' || key === 'ArrowDown') move(1)
      else if (key === 'k' || key === 'ArrowUp') move(-1)
      else if (key === 'PageDown') move(8)
      else if (key === 'PageUp') move(-8)
      else if (key === 'Home') end('first')
      else if (key === 'End') end('last')
      else if (key === 'Enter' && !isOnControl(event))
        document.querySelector<HTMLElement>(ANSWERS)?.focus()
      else if (press !== undefined && !event.repeat)
        document.querySelector<HTMLElement>(`.inbox-item ${press}`)?.click()
      else return
      event.preventDefault()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  })
}

const isOnControl = ({ target }: KeyboardEvent): boolean =>
  target instanceof Element && target.closest('a, button, summary') !== null
