import { useState } from 'react'
import type { ApiError } from '../../../api/errors.ts'
import { useTool } from '../../../live/queries.ts'
import type { ToolResult } from '../../../api/call.ts'

export interface PinnedDiff {
  /** What is looked at; stays until `showNew`, whatever is pushed. */
  readonly shown: ToolResult<'pr_diff'> | undefined
  /** The present head, where it is another. */
  readonly newer: string | null
  readonly showNew: () => void
  readonly error: ApiError | null
  readonly retry: () => void
}

/** The diff of a pull request as it was first looked at. `wanted`: it is shown, or was. */
export function usePinnedDiff(number: number, wanted: boolean): PinnedDiff {
  const [wasWanted, setWanted] = useState(wanted)
  if (wanted && !wasWanted) setWanted(true)
  const { data, error, refetch } = useTool(
    'pr_diff',
    { pr_number: number },
    { enabled: wanted || wasWanted },
  )
  const [pinned, setPinned] = useState<ToolResult<'pr_diff'>>()
  const [wantsNew, setWantsNew] = useState(false)
  if (data !== undefined && (pinned === undefined || (wantsNew && data !== pinned))) {
    setPinned(data)
    setWantsNew(false)
  }
  return {
    shown: pinned,
    newer:
      data !== undefined && pinned !== undefined && data.head_sha !== pinned.head_sha
        ? data.head_sha
        : null,
    showNew: () => {
      if (data !== undefined) setPinned(data)
      // What a refusal tells of may not have been read yet.
      if (data === undefined || data.head_sha === pinned?.head_sha) {
        setWantsNew(true)
        void refetch()
      }
    },
    error,
    retry: () => void refetch(),
  }
}
