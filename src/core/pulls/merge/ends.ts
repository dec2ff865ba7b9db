import type { PullRequestSnapshot } from '../../../adapters/forge/forge.ts'
import { ExomonadError } from '../../../domain/errors.ts'
import type { MergedPull } from '../pull-documents.ts'
import type { Deps } from '../../deps.ts'

/** Waits for the end of a merge that the forge makes by itself; listens from when it is made. */
export interface MergeEnd {
  /**
   * What it came to; what was said of it so far (`going`) where the caller goes away before.
   * PR_NOT_MERGEABLE with the reason where it is not to come any more.
   */
  outcome(
    going: MergedPull,
    merged: (sha: string, localError: string | undefined) => Promise<MergedPull>,
    options: {
      readonly signal?: AbortSignal | undefined
      readonly progress?: ((words: string) => void) | undefined
    },
  ): Promise<MergedPull>
  leave(): void
}

type End =
  | { readonly kind: 'merged'; readonly sha: string; readonly localError: string | undefined }
  | { readonly kind: 'stopped'; readonly reason: string }

export function createMergeEnd(
  { store, publisher }: Pick<Deps, 'store' | 'publisher'>,
  pull: PullRequestSnapshot,
): MergeEnd {
  const ended = Promise.withResolvers<End | null>()
  const stop = publisher.onEvent(({ type, payload }) => {
    if (payload['number'] !== pull.number || payload['url'] !== pull.url) return
    const localError = payload['local_error']
    if (type === 'pr.merged')
      ended.resolve({
        kind: 'merged',
        sha: String(payload['sha']),
        localError: typeof localError === 'string' ? localError : undefined,
      })
    if (type === 'pr.closed') ended.resolve({ kind: 'stopped', reason: 'it was closed' })
    if (type === 'pr.unscheduled')
      ended.resolve({
        kind: 'stopped',
        reason: String(payload['reason'] ?? `the forge does not say why (${pull.url})`),
      })
  })
  const leave = (): void => {
    stop()
    ended.resolve(null)
  }

  return {
    leave,
    outcome: async (going, merged, { signal, progress }) => {
      progress?.(going.next)
      if (signal?.aborted === true) leave()
      signal?.addEventListener('abort', leave, { once: true })
      try {
        // It ended between the look at it and the first word of it here.
        const known = (await store.snapshots.get(`pull:${pull.number}`))?.['snapshot'] as
          | PullRequestSnapshot
          | undefined
        if (known?.state === 'merged' && known.mergeSha !== null)
          ended.resolve({ kind: 'merged', sha: known.mergeSha, localError: undefined })
        const end = await ended.promise
        if (end === null) return going
        if (end.kind === 'merged') return await merged(end.sha, end.localError)
        throw new ExomonadError(
          'PR_NOT_MERGEABLE',
          `#${pull.number} was not merged: ${end.reason}.`,
          { reasons: [end.reason] },
        )
      } finally {
        signal?.removeEventListener('abort', leave)
        stop()
      }
    },
  }
}
