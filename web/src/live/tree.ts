import { useSyncExternalStore } from 'react'
import type { TreeChanges } from '../../../src/core/agents/tree-document.ts'
import { ApiError, isPassing } from '../api/errors.ts'
import { request } from '../api/request.ts'
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

/** Milliseconds between two reads at least, a frame: of a flood the latest is enough. */
const PAUSE = 16
/** Milliseconds until what failed in passing is read again, though the daemon is there. */
const AGAIN = 500

/**
 * Reads what changed of the tree after each event: one read at a time, and one more where something
 * happened meanwhile. Returns when the first read is over that could be made at once.
 */
export async function followTree(connection: Connection): Promise<void> {
  let reading = false
  let again = false
  const read = async (): Promise<void> => {
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
      // What the browser asked for ahead was refused before a link was opened, or is just gone.
      if (isPassing(thrown) && connection.get().link === 'live')
        setTimeout(() => void read(), AGAIN)
    } finally {
      await new Promise((resolve) => setTimeout(resolve, PAUSE))
      reading = false
      if (again) {
        again = false
        void read()
      }
    }
  }
  connection.onEvent(() => void read())
  connection.onStart(() => void read())
  // What could not be read as the connection went is read when it is back.
  connection.subscribe(() => {
    if (connection.get().link === 'live' && isPassing(current.error)) void read()
  })
  if (!wasLetIn()) return
  // Beside the question whether this browser is let in. What happens until events come is read
  // again at the start; where this fails, so it is there.
  reading = true
  await readOnce().catch(() => {})
  reading = false
  if (again) {
    again = false
    void read()
  }
}

/** Most likely: it comes from a link that was good, or this tab was in before. */
function wasLetIn(): boolean {
  const [navigation] = performance.getEntriesByType('navigation')
  const isFromLink = (navigation as PerformanceNavigationTiming | undefined)?.redirectCount === 1
  return (isFromLink && location.search === '') || hasKey()
}

/** The whole of it by the very address that the daemon has the browser ask for with the page. */
const readChanges = (since?: string): Promise<TreeChanges> =>
  since === undefined
    ? request('/v1/tree/changes', { bare: true })
    : request(`/v1/tree/changes?since=${encodeURIComponent(since)}`)

async function readOnce(): Promise<void> {
  const next =
    withChanges(state, await readChanges(state?.revision)) ?? withChanges(null, await readChanges())
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

/** One fact of it, a number or a word: who asks for that alone is drawn again for nothing else. */
export const useTreeFact = <Fact extends string | number | undefined>(
  fact: (tree: LiveTreeView | null) => Fact,
): Fact => useSyncExternalStore(subscribe, () => fact(current.tree))

/** What an agent is called; undefined where it is not in the tree. `id`: the same of undefined. */
export const useShort = (id: string | undefined): string | undefined =>
  useSyncExternalStore(subscribe, () => (id === undefined ? undefined : current.shorts.get(id)))
