import { ExomonadError } from '../../../domain/errors.ts'
import type { PaneId } from '../../../domain/ids.ts'
import { titleOf } from '../program.ts'
import type { Shown } from '../viewer.ts'
import { MOST_BARS, tabsLayout } from './layout.ts'
import { marked, type Entry } from './panes.ts'
import type { Session } from './session.ts'

/** Where our session shows terminals, as last listed, and how more of them are opened and named. */
export interface Tabs {
  /** Takes what the session lists, and returns it. */
  learn(entries: readonly Entry[]): readonly Entry[]
  /** A tab for each. MULTIPLEXER_UNAVAILABLE. */
  open(all: readonly Shown[], entries: readonly Entry[]): Promise<void>
  /** In a tab that is there. MULTIPLEXER_UNAVAILABLE. */
  openBeside(shown: Shown, tabId: number): Promise<void>
  /** It is shown, as far as is known. */
  has(paneId: PaneId): boolean
  /** It has a tab or a pane that can get its name, or may have one. */
  takesName(paneId: PaneId): boolean
  rename(paneId: PaneId, called: string): Promise<void>
  /** It is shown no more. */
  closed(paneId: PaneId): void
}

export const shownBy = (entries: readonly Entry[], paneId: PaneId): Entry | undefined =>
  entries.find(({ shows }) => shows === paneId)

export const notShownError = (session: string, reason: string): ExomonadError =>
  new ExomonadError('MULTIPLEXER_UNAVAILABLE', `Zellij shows no terminal: ${reason}.`, { session })

/**
 * `mayBeTwice` is called where Zellij shows one twice, and before it is asked for one that it was
 * asked for before and has not shown: it may do both.
 */
export function createTabs(session: Session, mayBeTwice: () => void): Tabs {
  /**
   * Tabs that are called after a terminal; null where it is not in front in its tab, or not shown.
   * Missing: not known.
   */
  const tabs = new Map<PaneId, number | null>()
  /**
   * Panes with names of their own, as actions take them: one that is made beside another never
   * takes the title of its terminal (0.45.1).
   */
  const named = new Map<PaneId, string>()
  /** Asked for and not seen since, whatever it answered. */
  const asked = new Set<PaneId>()

  const learn: Tabs['learn'] = (entries) => {
    tabs.clear()
    for (const [paneId, id] of named)
      if (!entries.some((entry) => entry.shows === paneId && entry.id === id)) named.delete(paneId)
    for (const { id, shows, tabId, leads } of entries) {
      if (shows === null) continue
      asked.delete(shows)
      // The first one stays.
      if (tabs.has(shows)) {
        mayBeTwice()
        continue
      }
      tabs.set(shows, leads ? tabId : null)
      if (!leads) named.set(shows, id)
    }
    return entries
  }
  /** What the action printed that makes views of these. */
  const make = async (all: readonly Shown[], ...args: readonly string[]): Promise<string> => {
    if (all.some(({ paneId }) => asked.has(paneId))) mayBeTwice()
    for (const { paneId } of all) asked.add(paneId)
    const reply = await session.action(...args)
    if (reply.kind === 'done') return reply.stdout
    throw notShownError(
      session.name,
      reply.kind === 'failed' ? reply.reason : 'its session has ended',
    )
  }

  return {
    learn,
    open: async (all, entries) => {
      const bars = Math.max(0, MOST_BARS - new Set(entries.map(({ tabId }) => tabId)).size)
      const layout = tabsLayout(
        all.map(({ paneId, argv, name: called }, index) => ({
          name: titleOf(called),
          argv: marked(paneId, argv),
          bar: index < bars,
        })),
      )
      const printed = await make(all, 'new-tab', ...session.noFocus, '--layout-string', layout)
      const made = printed.split('\n').filter((line) => /^\d+$/.test(line))
      if (made.length === all.length)
        for (const [index, { paneId }] of all.entries()) tabs.set(paneId, Number(made[index]))
    },
    openBeside: async (shown, tabId) => {
      const { paneId, argv, name: called } = shown
      const printed = await make(
        [shown],
        'new-pane',
        '--tab-id',
        String(tabId),
        ...session.noFocus,
        '--name',
        titleOf(called),
        '--close-on-exit',
        '--',
        ...marked(paneId, argv),
      )
      tabs.set(paneId, null)
      const made = /^terminal_\d+$/m.exec(printed)?.[0]
      if (made !== undefined) named.set(paneId, made)
    },
    has: (paneId) => tabs.has(paneId),
    takesName: (paneId) => tabs.get(paneId) !== null || named.has(paneId),
    rename: async (paneId, called) => {
      if (!tabs.has(paneId)) learn((await session.list()) ?? [])
      const tab = tabs.get(paneId) ?? null
      tabs.set(paneId, tab)
      if (tab !== null) await session.action('rename-tab-by-id', '--', String(tab), titleOf(called))
      const pane = named.get(paneId)
      if (pane !== undefined)
        await session.action('rename-pane', '--pane-id', pane, '--', titleOf(called))
    },
    closed: (paneId) => {
      named.delete(paneId)
      asked.delete(paneId)
      // Who was behind it in its tab may be in front now.
      for (const [other, tab] of tabs) if (other === paneId || tab === null) tabs.delete(other)
    },
  }
}
