import type { Holder, Pane } from '../adapters/terminals/holder.ts'
import { ExomonadError } from '../domain/errors.ts'

/**
 * What it holds, before anything is chosen: nothing where its program has been taken off the
 * machine. One that doesn’t answer may hold anybody: that is thrown.
 */
export async function listPanes(holder: Holder): Promise<readonly Pane[]> {
  try {
    return await holder.list()
  } catch (error) {
    if (error instanceof ExomonadError && error.facts['reason'] === 'ENOENT') return []
    throw error
  }
}
