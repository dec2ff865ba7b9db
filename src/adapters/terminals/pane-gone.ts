import { ExomonadError } from '../../domain/errors.ts'
import type { PaneId } from '../../domain/ids.ts'

export const paneGone = (paneId: PaneId): ExomonadError =>
  new ExomonadError(
    'PANE_GONE',
    `There is no pane ${paneId}: it was closed, or its server ended. \`exomonad resume AGENT\` starts the agent again.`,
    {
      pane_id: paneId,
    },
  )
