import { timeOfDay } from '../../text/relative-time.ts'

/** Local time of day, `12:03`. Milliseconds since the epoch. */
export const clock = (at: number): string => timeOfDay(at).slice(0, 5)
