import { useState } from 'react'

/** Copies words, and says what came of it: a browser may let no page do that. */
export function CopyButton({ words }: { readonly words: string }) {
  const [said, say] = useState('')
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(words)
      say('Copied.')
    } catch {
      say('This browser lets no page copy: select it, and copy it by hand.')
    }
  }
  return (
    <>
      <button type="button" className="button" onClick={() => void copy()}>
        Copy
      </button>
      <span role="status" className="hint">
        {said}
      </span>
    </>
  )
}
