import { useCallback, useEffect, useState } from 'react'
import { readDraft, type Draft } from './draft.ts'

/** What is written into the form of this repository, kept over a reload and a closed tab. */
export function useDraft(
  repository: string,
): readonly [Draft, (change: (draft: Draft) => Draft) => void] {
  const key = `exomonad.spawn ${repository}`
  const [draft, setDraft] = useState(() => readDraft(localStorage.getItem(key)))
  useEffect(() => {
    try {
      localStorage.setItem(key, JSON.stringify(draft))
    } catch {
      // Full, or not allowed: it lasts as long as the page.
    }
  }, [key, draft])
  return [draft, useCallback((change) => setDraft(change), [])]
}
