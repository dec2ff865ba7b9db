import { shortDuration } from './duration.ts'

/** A time in words, seen from now: `just now`, `3m ago`. Milliseconds since the epoch. */
export function relativeTime(at: number, now: number): string {
  const seconds = (now - at) / 1000
  return seconds < 1 ? 'just now' : `${shortDuration(seconds)} ago`
}

/** Local time of day, `14:03:09`. */
export function timeOfDay(at: number): string {
  const date = new Date(at)
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':')
}
