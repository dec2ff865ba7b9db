import type { PaneId } from '../../../ids.ts'
import { titleOf } from '../program.ts'
import type { Commands } from './commands.ts'
import type { Listed } from './panes.ts'
import type { Records } from './records.ts'

/**
 * A tab is called as its first pane. The frame of that one, which is seen only where the tab has others, shows what its program calls itself, and
 * the name where it says nothing; the frames of the others show their names, behind which Zellij hides what the programs say.
 */
export interface Names {
  /** False where there is no such pane. */
  rename(paneId: PaneId, given: string): Promise<boolean>
  /** Of tabs whose first pane went. */
  tidy(): Promise<void>
}

/** The one that was there first, of those in its tab. */
const firstOf = (panes: readonly Listed[], tab: number): Listed | undefined =>
  panes.filter(({ tabId }) => tabId === tab).toSorted((one, other) => numberOf(one.paneId) - numberOf(other.paneId))[0]

const numberOf = (paneId: PaneId): number => Number(paneId.replace(/^\D+/, ''))

export function createNames({ commands, records, listing }: { commands: Commands; records: Records; listing: () => Promise<Listed[]> }): Names {
  const nameTab = (tabId: number, name: string) => commands.action('rename-tab-by-id', '--', String(tabId), name)
  return {
    rename: async (paneId, given) => {
      const panes = await listing()
      const pane = panes.find((listed) => listed.paneId === paneId)
      if (pane === undefined) return false
      const name = titleOf(given)
      const isFirst = firstOf(panes, pane.tabId) === pane
      const isSeen = panes.some((other) => other !== pane && other.tabId === pane.tabId)
      const framed = pane.record.framed || !isFirst || (isSeen && pane.title === '')
      await records.note(pane.record.key, { name, framed })
      const replies = [
        ...(framed ? [await commands.action('rename-pane', '--pane-id', paneId, '--', name)] : []),
        ...(isFirst ? [await nameTab(pane.tabId, name)] : []),
      ]
      return replies.every(({ kind }) => kind === 'done')
    },
    tidy: async () => {
      const panes = await listing()
      for (const tabId of new Set(panes.map((pane) => pane.tabId))) {
        const first = firstOf(panes, tabId)
        if (first !== undefined && first.tabName !== first.record.name) await nameTab(tabId, first.record.name)
      }
    },
  }
}
