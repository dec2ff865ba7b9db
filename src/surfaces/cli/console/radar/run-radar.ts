import { radarDetail } from '../../../text/radar/radar-view.ts'
import type { Doing } from '../doing.ts'
import { newRadar } from './radar.ts'

/** Opens the radar at once and fills it when all worktrees were looked at, which can take a while. */
export function createRadarLines({ store, clientFor, palette }: Doing): {
  /** `only`: pairs of one agent. Throws as the tool `radar`; where nothing is shown yet, it is closed. */
  open(only: string | undefined): Promise<void>
  showPair(pair: { readonly a: string; readonly b: string }): Promise<void>
} {
  const { dispatch } = store
  return {
    open: async (only) => {
      const { overlay } = store.get()
      const isAgain = overlay?.kind === 'radar' && overlay.only === (only ?? null)
      if (!isAgain) dispatch({ type: 'overlay', overlay: newRadar(only ?? null) })
      try {
        const { pairs = [], at } = await clientFor().call(
          'radar',
          only === undefined ? {} : { a: only },
        )
        dispatch({ type: 'radar-read', pairs, at })
      } catch (error) {
        const now = store.get().overlay
        if (now?.kind === 'radar' && now.pairs === null)
          dispatch({ type: 'overlay', overlay: null })
        throw error
      }
    },
    showPair: async ({ a, b }) => {
      const { pair } = await clientFor().call('radar', { a, b })
      if (pair === undefined) return
      dispatch({ type: 'radar-detail', a, b, rows: radarDetail(pair, { palette }) })
    },
  }
}
