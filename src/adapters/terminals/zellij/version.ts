/** The oldest Zellij that starts sessions in the background and takes `--pane-id` everywhere. */
export const ZELLIJ_NEEDED = '0.44.2'

/** What `zellij --version` says (`zellij 0.45.1`), as a version; undefined where that is something else. */
export const parseZellijVersion = (text: string): string | undefined => /^zellij (\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)\s*$/m.exec(text)?.[1]

/** In what those differ that are new enough. */
export interface Traits {
  /** Knows `--no-focus`: before, a person’s view moves along to what is opened. */
  readonly quiet: boolean
  /** Rows and columns of the lines around a pane that is alone in its tab. */
  readonly frame: number
  /** Each tab has the size of the clients that look at it: before, all have that of the smallest there is. */
  readonly ownSizes: boolean
}

export const traitsOf = (version: string): Traits =>
  version.startsWith('0.44.') ? { quiet: false, frame: 2, ownSizes: false } : { quiet: true, frame: 0, ownSizes: true }

/** A pre-release comes before what it is named after: `0.44.2-rc.1` is not enough. */
export function isEnough(version: string): boolean {
  const [found, needed] = [numbers(version), numbers(ZELLIJ_NEEDED)]
  for (const [index, number] of needed.entries()) if (found[index] !== number) return (found[index] ?? 0) > number
  return !version.includes('-')
}

const numbers = (version: string): number[] => (version.split('-')[0] ?? '').split('.').map(Number)
