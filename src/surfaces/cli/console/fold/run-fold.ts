import type { TreeNode } from '../../../../core/agents/tree-document.ts'
import type { Doing } from '../doing.ts'

/**
 * Opens the fold of an agent’s bases at once, and shows it when it was read. Throws as the tool
 * `fold`; where nothing is shown yet, it is closed.
 */
export const createFoldLine =
  ({ store, clientFor, now }: Pick<Doing, 'store' | 'clientFor' | 'now'>) =>
  async ({ id: agent, branch, base_branch: base, children }: TreeNode): Promise<void> => {
    const { dispatch } = store
    const shown = () => {
      const { overlay } = store.get()
      return overlay?.kind === 'fold' && overlay.agent === agent ? overlay : undefined
    }
    const takesIn = base === null || children.length > 0
    const bases = [...(base === null ? [] : [base]), ...(takesIn ? [branch] : [])]
    if (shown() === undefined)
      dispatch({
        type: 'overlay',
        overlay: { kind: 'fold', agent, bases, fold: null, at: 0, scroll: 0 },
      })
    try {
      const fold = await clientFor().call('fold', {})
      const overlay = shown()
      // What comes late, when something else is shown, changes nothing.
      if (overlay !== undefined)
        dispatch({ type: 'overlay', overlay: { ...overlay, bases, fold, at: now() } })
    } catch (error) {
      if (shown()?.fold === null) dispatch({ type: 'overlay', overlay: null })
      throw error
    }
  }
