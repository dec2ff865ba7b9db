export const MINUTES_IN_DAY = 24 * 60

const UNITS = [
  ['d', MINUTES_IN_DAY],
  ['h', 60],
  ['m', 1],
] as const

/**
 * Minutes in a text such as "45m", "1h 30m" or "2d". Throws RangeError for anything else; a bare
 * number is refused, because it names no unit.
 */
export function parseDuration(text: string): number {
  const parts = [...text.matchAll(/(\d+)([dhm])/g)]
  if (parts.length === 0 || text.replaceAll(/\d+[dhm]/g, '').trim() !== '') {
    throw new RangeError(`"${text}" is not a duration: write it as "1h 30m".`)
  }
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * minutesIn(unit), 0)
}

/** "1h 30m" for 90: largest units first, zeros left out. */
export function formatDuration(minutes: number): string {
  let rest = minutes
  const parts: string[] = []
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size)
    if (count > 0) parts.push(`${count}${unit}`)
    rest -= count * size
  }
  return parts.join(' ') || '0m'
}

function minutesIn(unit: string | undefined): number {
  return UNITS.find(([name]) => name === unit)?.[1] ?? 0
}
