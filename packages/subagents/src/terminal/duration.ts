/** The largest first. */
export const UNITS: readonly (readonly [seconds: number, letter: string])[] = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'm'],
  [1, 's'],
]

/**
 * A span in its largest unit, rounded down, at most four characters in practice: `8s`, `3m`, `2h`,
 * `5d`.
 */
export function shortDuration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  for (const [size, letter] of UNITS)
    if (whole >= size) return `${Math.floor(whole / size)}${letter}`
  return '0s'
}
