/** The oldest Zellij that starts sessions in the background and says what it has opened. */
export const ZELLIJ_NEEDED = '0.44.2'

/**
 * What `zellij --version` says (`zellij 0.45.1`), as a version; undefined where that is something
 * else.
 */
export const parseZellijVersion = (text: string): string | undefined =>
  /^zellij (\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)\s*$/m.exec(text)?.[1]

/** Whether it knows `--no-focus`: before, a person’s view moves along to what is opened. */
export const leavesFocus = (version: string): boolean => !version.startsWith('0.44.')

/** A pre-release comes before what it is named after: `0.44.2-rc.1` is not enough. */
export function isEnough(version: string): boolean {
  const [found, needed] = [numbers(version), numbers(ZELLIJ_NEEDED)]
  for (const [index, number] of needed.entries())
    if (found[index] !== number) return (found[index] ?? 0) > number
  return !version.includes('-')
}

const numbers = (version: string): number[] => (version.split('-')[0] ?? '').split('.').map(Number)
