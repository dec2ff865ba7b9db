import { constants } from 'node:os'

/** Names of signals by their numbers. */
export const signalNames: ReadonlyMap<number, string> = new Map(
  Object.entries(constants.signals).map(([name, number]) => [number, name]),
)
