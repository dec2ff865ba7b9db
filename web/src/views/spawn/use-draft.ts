import { useCallback, useEffect, useState } from 'react'
import { keptForAll } from '../../parts/storage.ts'
import { readDraft, type Draft } from './draft.ts'

/** What is written into the form of this repository, kept over a reload and a closed tab. */
export function useDraft(
  repository: string,
): readonly [Draft, (change: (draft: Draft) => Draft) => void] {
  const key = `exomonad.spawn ${repository}`
  const [draft, setDraft] = useState(() => readDraft(keptForAll.get(key)))
  useEffect(() => {
    keptForAll.set(key, JSON.stringify(draft))
  }, [key, draft])
  return [draft, useCallback((change) => setDraft(change), [])]
}
