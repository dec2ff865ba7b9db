import type { NotifyTarget } from './target.ts'

/**
 * Terminals that are attached. They follow the daemon’s events, and the event that records every
 * sending (`person.notified`) carries the words for them: what is stored once is shown once, also
 * when the daemon is killed in the middle. There is nothing to be done here that could fail.
 */
export const createTerminalTarget = (): NotifyTarget => ({
  send: async () => ({ ok: true, said: 'shown by the terminals that are attached' }),
})
