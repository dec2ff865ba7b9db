/** Ids of what the runner hosts begin with this; no terminal’s does. */
export const RUNNER_PANE = 'r-'
