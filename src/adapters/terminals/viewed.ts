import type { PaneId } from '../../domain/ids.ts'
import type { Log } from '../../runtime/log.ts'
import type { Holder, Multiplexer } from './holder.ts'
import type { Viewer } from './viewer.ts'

/** Of terminals that were opened before this process began. */
const USUAL = { columns: 200, rows: 50 }

/**
 * A holder whose terminals a viewer shows: it has all of them, each in a window of its own, and the
 * viewer the places where people see them.
 */
export function createViewed({
  holder,
  viewer,
  log,
}: {
  holder: Holder
  viewer: Viewer
  log: Log
}): Multiplexer {
  let size = USUAL
  const shownAs = (paneId: PaneId, name: string, beside?: PaneId) => ({
    ...{ paneId, name, argv: holder.viewCommand(paneId), ...size },
    ...(beside !== undefined && { beside }),
  })
  /** Trouble with one keeps nobody from being done with the other. */
  const both = async (first: Promise<void>, second: Promise<void>): Promise<void> => {
    for (const result of await Promise.allSettled([first, second]))
      if (result.status === 'rejected') throw result.reason
  }

  return {
    ...holder,
    name: viewer.name,
    open: async ({ beside, ...pane }) => {
      const opened = await holder.open(pane)
      // There is nothing to see of what has no terminal.
      if (pane.program !== undefined) return opened
      size = { columns: pane.columns, rows: pane.rows }
      viewer.open(shownAs(opened.paneId, pane.name, beside))
      return opened
    },
    rename: async (paneId, name, more) => {
      await holder.rename(paneId, name, more)
      viewer.rename(paneId, name)
    },
    close: async (paneId) => {
      await holder.close(paneId)
      viewer.closed(paneId)
    },
    closeAll: async (paneIds) => {
      await holder.closeAll(paneIds)
      for (const paneId of paneIds) viewer.closed(paneId)
    },
    show: async (paneId, inside) => {
      const pane = await holder.inspect(paneId)
      try {
        if (pane !== undefined)
          return await viewer.attachCommand(shownAs(paneId, pane.name), inside)
      } catch (error) {
        log.warn(
          { err: error, paneId, viewer: viewer.name },
          'a terminal can’t be shown where it should be: whoever asks for it sees it without',
        )
      }
      return holder.attachCommand(paneId)
    },
    shutdown: () => both(holder.shutdown(), viewer.shutdown()),
    dispose: () => both(holder.dispose(), viewer.dispose()),
  }
}
