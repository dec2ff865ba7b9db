import { useRef, type KeyboardEvent, type ReactNode } from 'react'
import { useKept } from '../../../parts/kept.ts'
import type { Item } from '../items.ts'
import type { Settle } from '../use-settle.ts'

export interface Settled {
  readonly item: Item
  readonly settle: Settle
  /** Something is under way for it. */
  readonly isGoing: boolean
}

/** What is written about an item: kept until it is sent, whatever becomes of the page. */
export function useWords(item: Pick<Item, 'id'>): {
  readonly words: string
  readonly set: (words: string) => void
  /** Forgets what stands there now, and not what is written after it was called for. */
  readonly clear: () => void
} {
  const [kept, set] = useKept<string>(`inbox:${item.id}`)
  return {
    words: kept ?? '',
    set: (words) => set(() => (words === '' ? undefined : words)),
    clear: () => set((now) => (now === kept ? undefined : now)),
  }
}

/** A field for words, with what sends them below it. */
export function WordsForm({
  label,
  placeholder,
  words,
  set,
  send,
  children,
}: {
  readonly label: string
  readonly placeholder: string
  readonly words: string
  readonly set: (words: string) => void
  /** On Ctrl+Enter. */
  readonly send: () => void
  readonly children: ReactNode
}) {
  const field = useRef<HTMLTextAreaElement>(null)
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send()
    else if (event.key === 'Escape') field.current?.blur()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <label className="label">
        {label}
        <textarea
          ref={field}
          data-answer
          className="field"
          placeholder={placeholder}
          value={words}
          onChange={({ target }) => set(target.value)}
          onKeyDown={onKey}
        />
      </label>
      <div className="buttons">{children}</div>
    </form>
  )
}
