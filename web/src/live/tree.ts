import { useSyncExternalStore } from 'react'
import { call } from '../api/call.ts'
import { ApiError, isPassing } from '../api/errors.ts'
import { hasKey } from '../api/session.ts'
import type { Connection } from './connection.ts'
import { withChanges, type LiveNode, type LiveTreeView, type TreeState } from './tree-state.ts'

export type { TreeNode } from '../../../src/core/agents/tree-document.ts'
export type { LiveNode, LiveTreeView as TreeView }

/** The tree as far as it was read. */
export interface LiveTree {
  readonly tree: LiveTreeView | null
  readonly byId: ReadonlyMap<string, LiveNode>
  /** What agents are called, by id. */
  readonly shorts: ReadonlyMap<string, string>
  /** Why it could not be read last. */
  readonly error: ApiError | null
}

let state: TreeState | null = null
let current: LiveTree = { tree: null, byId: new Map(), shorts: new Map(), error: null }
const listeners = new Set<() => void>()
const set = (next: LiveTree) => {
  current = next
  for (const listener of listeners) listener()
}

/** Milliseconds between two reads at least: of a flood the latest is enough. */
const PAUSE = 30

/**
 * Reads what changed of the tree after each event, until it is stopped: one read at a time, and one
 * more where something happened meanwhile.
 */
export function followTree(connection: Connection): () => void {
  let stopped = false
  let reading = false
  let again = false
  const read = async (): Promise<void> => {
    if (stopped) return
    if (reading) {
      again = true
      return
    }
    reading = true
    try {
      await readOnce()
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) throw thrown
      set({ ...current, error: thrown })
    } finally {
      await new Promise((resolve) => setTimeout(resolve, PAUSE))
      reading = false
      if (again) {
        again = false
        void read()
      }
    }
  }
  const stopEvents = connection.onEvent(() => void read())
  const stopStart = connection.onStart(() => void read())
  // What could not be read as the connection went is read when it is back.
  const stopStanding = connection.subscribe(() => {
    if (connection.get().link === 'live' && isPassing(current.error)) void read()
  })
  if (wasLetIn()) {
    // Beside the question whether this browser is let in. What happens until events come is read
    // again at the start; where this fails, so it is there.
    reading = true
    void readOnce()
      .catch(() => {})
      .finally(() => {
        reading = false
        if (again) {
          again = false
          void read()
        }
      })
  }
  return () => {
    stopped = true
    stopEvents()
    stopStart()
    stopStanding()
  }
}

/** Most likely: it comes from a link that was good, or this tab was in before. */
function wasLetIn(): boolean {
  const [navigation] = performance.getEntriesByType('navigation')
  const isFromLink = (navigation as PerformanceNavigationTiming | undefined)?.redirectCount === 1
  return (isFromLink && location.search === '') || hasKey()
}

async function readOnce(): Promise<void> {
  const changes = await call('tree_changes', state === null ? {} : { since: state.revision })
  const next = withChanges(state, changes) ?? withChanges(null, await call('tree_changes', {}))
  if (next === null) return
  state = next
  const { tree, byId, shorts } = next
  set({ tree, byId, shorts, error: null })
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const useTree = (): LiveTree => useSyncExternalStore(subscribe, () => current)
