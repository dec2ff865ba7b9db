import { z } from 'zod'
import { asPaneId, type PaneId } from '../../../domain/ids.ts'
import { parseJson } from '../../../domain/formats/parse-json.ts'
import { LEAST } from '../least.ts'

const entrySchema = z.object({
  id: z.number(),
  is_plugin: z.boolean(),
  terminal_command: z.string().nullable(),
  pane_content_columns: z.number(),
  pane_content_rows: z.number(),
  tab_id: z.number(),
})

/**
 * A pane of the session as Zellij lists it. `shows`: which terminal; null for panes of people, and
 * the first.
 */
export interface Entry {
  /** As actions take it. */
  readonly id: string
  readonly tabId: number
  readonly shows: PaneId | null
  /**
   * The one that its tab is called after: of those in it that show a terminal, the one that was
   * there first.
   */
  readonly leads: boolean
  readonly hasRoom: boolean
}

/** Stands in a pane’s command, before which terminal it shows. */
const MARK = 'exomonad:'

/** What a pane runs. */
export const marked = (paneId: PaneId, argv: readonly string[]): readonly string[] => [
  '/bin/sh',
  '-c',
  'exec "$@"',
  `${MARK}${paneId}`,
  ...argv,
]

/**
 * What `list-panes --json` printed; undefined where it printed something else: answers get lost, or
 * reach somebody else, while Zellij is busy.
 */
export function parseEntries(text: string): Entry[] | undefined {
  const said = z.array(entrySchema).min(1).safeParse(parsed(text))
  if (!said.success) return undefined
  const led = new Set<number>()
  return said.data
    .filter(({ is_plugin: isPlugin }) => !isPlugin)
    .toSorted((one, other) => one.id - other.id)
    .map((entry) => {
      const shows = new RegExp(`(?:^| )${MARK}(\\S+)`).exec(entry.terminal_command ?? '')?.[1]
      const leads = shows !== undefined && !led.has(entry.tab_id)
      if (leads) led.add(entry.tab_id)
      return {
        id: `terminal_${String(entry.id)}`,
        tabId: entry.tab_id,
        shows: shows === undefined ? null : asPaneId(shows),
        leads,
        hasRoom:
          entry.pane_content_columns >= 2 * LEAST.columns + 2 ||
          entry.pane_content_rows >= 2 * LEAST.rows + 2,
      }
    })
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
