/**
 * Whether an id is of a pane of the time when Zellij held terminals. What runs there goes on in its
 * old session, out of reach.
 */
export const isFormerPane = (paneId: string | null): boolean =>
  paneId !== null && /^terminal_\d/.test(paneId)
