/** Hours of each day, in local time: minutes since midnight, `from` below or above `to`. */
export interface QuietHours {
  readonly from: number
  readonly to: number
}

const HOURS = /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)$/

/** Of `22:00-07:00`; undefined for what says no hours, or none. */
export function parseQuietHours(text: string): QuietHours | undefined {
  const [, ...found] = HOURS.exec(text) ?? []
  const [fromHour = 0, fromMinute = 0, toHour = 0, toMinute = 0] = found.map(Number)
  const hours = { from: fromHour * 60 + fromMinute, to: toHour * 60 + toMinute }
  return found.length === 0 || hours.from === hours.to ? undefined : hours
}

const HALF_AN_HOUR = 1_800_000

/**
 * When the quiet hours end that a time lies in (ms since the epoch); null outside them. Where the
 * clock is set for summer, a moment that is there twice is the next one to come.
 */
export function quietUntil({ from, to }: QuietHours, at: number): number | null {
  const wall = new Date(at)
  const minute = wall.getHours() * 60 + wall.getMinutes()
  const inside = from < to ? minute >= from && minute < to : minute >= from || minute < to
  if (!inside) return null
  const day = wall.getDate() + (minute < to ? 0 : 1)
  let end = new Date(wall.getFullYear(), wall.getMonth(), day, 0, to).getTime()
  while (end <= at) end += HALF_AN_HOUR
  return end
}
