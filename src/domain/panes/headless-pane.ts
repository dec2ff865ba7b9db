/** Ids of what the detached host holds without a terminal begin with this; no terminal’s does. */
export const HEADLESS_PANE = 'r-'

/** Ids of the terminals that the detached host holds begin with this. */
export const DETACHED_TERMINAL = 'p-'
