import type { PaneId } from '../../../domain/ids.ts'
import type { Pane } from '../holder.ts'

/**
 * One pane, by a look that begins after it was asked for; undefined where it is not there. Whoever
 * asks during a look shares the next, at all panes where these are several: tmux goes through all
 * of them for each that is asked for.
 */
export function createLookUp(
  query: (paneId?: PaneId) => Promise<readonly Pane[]>,
): (paneId: PaneId) => Promise<Pane | undefined> {
  let current: Promise<unknown> | undefined
  let next: { readonly wanted: Set<PaneId>; readonly panes: Promise<readonly Pane[]> } | undefined

  const look = (wanted: ReadonlySet<PaneId>): Promise<readonly Pane[]> => {
    const [only] = wanted
    const looking = query(wanted.size === 1 ? only : undefined)
    const settled = looking.then(
      () => undefined,
      () => undefined,
    )
    current = settled
    void settled.then(() => current === settled && (current = undefined))
    return looking
  }
  const join = (paneId: PaneId, running: Promise<unknown>): Promise<readonly Pane[]> => {
    if (next === undefined) {
      const wanted = new Set<PaneId>()
      const panes = running.then(() => {
        next = undefined
        return look(wanted)
      })
      next = { wanted, panes }
    }
    next.wanted.add(paneId)
    return next.panes
  }

  return async (paneId) => {
    const panes = await (current === undefined ? look(new Set([paneId])) : join(paneId, current))
    return panes.find((pane) => pane.paneId === paneId)
  }
}
