import { stat } from 'node:fs/promises'
import type { Clock } from '../domain/clock.ts'

/**
 * How long an answer about trust is used again: messages are rendered often, and trust is asked of
 * git. Milliseconds.
 */
const FRESH = 2000

/** The folder of the user’s own templates, where there is one and it is trusted; else null. */
export function createTemplateOverrides(deps: {
  folder: string
  requireTrust: () => Promise<void>
  clock: Clock
}): () => Promise<string | null> {
  let known: { at: number; folder: string | null } | undefined
  return async () => {
    if (known !== undefined && deps.clock() - known.at < FRESH) return known.folder
    let folder: string | null = null
    try {
      if ((await stat(deps.folder)).isDirectory()) {
        await deps.requireTrust()
        folder = deps.folder
      }
    } catch {
      // Absent or untrusted: the shipped templates serve.
    }
    known = { at: deps.clock(), folder }
    return folder
  }
}
