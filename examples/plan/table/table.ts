import { fit } from './text.ts'

export interface Entry {
  readonly start: number
  readonly end: number
  readonly title: string
}

/** Minutes from midnight as "09:05". */
export function clockTime(minutes: number): string {
  const two = (value: number) => String(value).padStart(2, '0')
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}

/** One line an entry, earliest first; titles in at most `width` characters. */
export function renderTable(entries: readonly Entry[], width = 40): string {
  return entries
    .toSorted((a, b) => a.start - b.start)
    .map(
      ({ start, end, title }) =>
        `${clockTime(start)}–${clockTime(end)}  ${fit(title, width).trimEnd()}`,
    )
    .join('\n')
}
