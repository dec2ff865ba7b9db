import { useSyncExternalStore } from 'react'
import type { TreeNode, TreeView } from '../../../src/core/agents/tree-document.ts'
import { nodesOf } from '../../../src/surfaces/text/tree/rows.ts'
import { call } from '../api/call.ts'
import { ApiError } from '../api/errors.ts'
import type { Connection } from './connection.ts'

export type { TreeNode, TreeView }

/** The tree as it was read last. */
export interface LiveTree {
  readonly tree: TreeView | null
  /** Milliseconds since the epoch. */
  readonly readAt: number
  readonly byId: ReadonlyMap<string, TreeNode>
  /** What agents are called, by id. */
  readonly shorts: ReadonlyMap<string, string>
  readonly error: ApiError | null
}

const NONE: LiveTree = { tree: null, readAt: 0, byId: new Map(), shorts: new Map(), error: null }
let current = NONE
const listeners = new Set<() => void>()
const set = (next: LiveTree) => {
  current = next
  for (const listener of listeners) listener()
}

/** Milliseconds between two reads at least. */
const PAUSE = 50

/** Reads the tree at each event until it is stopped: one read at a time, the latest wins. */
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
      const tree = await call('tree', {})
      const nodes = nodesOf(tree.root)
      set({
        tree,
        readAt: Date.now(),
        byId: new Map(nodes.map((node) => [node.id as string, node])),
        shorts: new Map(nodes.map((node) => [node.id as string, node.short])),
        error: null,
      })
    } catch (thrown) {
      if (thrown instanceof ApiError) set({ ...current, error: thrown })
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE))
    reading = false
    if (again) {
      again = false
      void read()
    }
  }
  const stopEvents = connection.onEvent(() => void read())
  const stopStart = connection.onStart(() => void read())
  return () => {
    stopped = true
    stopEvents()
    stopStart()
  }
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const useTree = (): LiveTree => useSyncExternalStore(subscribe, () => current)
