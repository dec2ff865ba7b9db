import type { ComponentType } from 'react'
import {
  CostIcon,
  FoldIcon,
  InboxIcon,
  PullIcon,
  SpawnIcon,
  TimelineIcon,
  TreeIcon,
} from './icons.tsx'

/** The views that stand in the navigation, with the key that goes there after `g`. */
export const PLACES: readonly {
  readonly path: string
  readonly name: string
  readonly key: string
  readonly icon: ComponentType
  /** It changes something: not for a page that only reads. */
  readonly writes?: true
}[] = [
  { path: '/', name: 'Tree', key: 't', icon: TreeIcon },
  { path: '/inbox', name: 'Inbox', key: 'i', icon: InboxIcon },
  { path: '/pulls', name: 'Reviews', key: 'p', icon: PullIcon },
  { path: '/fold', name: 'Fold', key: 'f', icon: FoldIcon },
  { path: '/timeline', name: 'Timeline', key: 'l', icon: TimelineIcon },
  { path: '/cost', name: 'Cost', key: 'c', icon: CostIcon },
  { path: '/spawn', name: 'Spawn', key: 'n', icon: SpawnIcon, writes: true },
]

export { agentPath, pullPath } from './paths.ts'
