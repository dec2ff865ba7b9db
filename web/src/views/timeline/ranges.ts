/** A stretch of time. Milliseconds since the epoch. */
export interface Range {
  readonly since: number
  /** Null for now, whenever that is. */
  readonly until: number | null
}

export const PRESETS = ['here', 'hour', 'night', 'day', 'week'] as const
export type Preset = (typeof PRESETS)[number]

export const PRESET_NAMES: Readonly<Record<Preset, string>> = {
  here: 'Since I was here',
  hour: 'Last hour',
  night: 'Last night',
  day: '24 hours',
  week: '7 days',
}

const HOUR = 60 * 60 * 1000
const DAY = 24 * HOUR
/** When nights begin and end, by the clock on the wall. */
const NIGHT = { from: 18, to: 8 }

/** `before`: when the person was here the last time; null where they never were. */
export function presetRange(preset: Preset, now: number, before: number | null): Range {
  switch (preset) {
    case 'here':
      return { since: before ?? now - DAY, until: null }
    case 'hour':
      return { since: now - HOUR, until: null }
    case 'day':
      return { since: now - DAY, until: null }
    case 'week':
      return { since: now - 7 * DAY, until: null }
    case 'night': {
      const end = new Date(now)
      end.setHours(NIGHT.to, 0, 0, 0)
      const begin = new Date(end)
      begin.setDate(begin.getDate() - 1)
      begin.setHours(NIGHT.from)
      return { since: begin.getTime(), until: end.getTime() > now ? null : end.getTime() }
    }
  }
}

/** What the address of the view says: `range=night`, or `from=…&to=…` in local time. */
export function rangeOf(
  query: URLSearchParams,
  now: number,
  before: number | null,
): { readonly preset: Preset | null; readonly range: Range } {
  const from = Date.parse(query.get('from') ?? '')
  if (!Number.isNaN(from)) {
    const to = Date.parse(query.get('to') ?? '')
    return {
      preset: null,
      range: { since: from, until: Number.isNaN(to) || to <= from ? null : to },
    }
  }
  const preset = PRESETS.find((one) => one === query.get('range')) ?? 'day'
  return { preset, range: presetRange(preset, now, before) }
}

/** As fields for a date and a time take it: local, to the minute. */
export function fieldText(at: number): string {
  const date = new Date(at)
  const two = (part: number): string => String(part).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}`
}

const MINUTE = 60_000
const STEPS = [1, 5, 15, 30, 60, 180, 360, 720, 1440, 2880, 10_080].map((step) => step * MINUTE)

/** Round times within a stretch, eight at most. Milliseconds since the epoch. */
export function ticksOf(since: number, until: number): number[] {
  const span = until - since
  const step = STEPS.find((one) => span / one <= 8) ?? Math.ceil(span / 8 / DAY) * DAY
  const begin = new Date(since)
  begin.setHours(0, 0, 0, 0)
  const ticks: number[] = []
  // Counted from midnight, so that they are round where the clock is put forward too.
  for (let at = begin.getTime(); at <= until; at += step) if (at > since) ticks.push(at)
  return ticks
}
