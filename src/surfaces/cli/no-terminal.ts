import type { TreeNode } from '../../core/core.ts'

/** It works on its parent’s branch: a branch’s name, and the pull request of one, are another’s. */
export const sharesBranch = ({ kind }: Pick<TreeNode, 'kind'>): boolean => SHARING.has(kind)

const SHARING: ReadonlySet<string> = new Set(['fork', 'llm', 'process', 'delegate', 'spawn'])

/** Ends by itself when it is done, and is not given more work. */
export const isOneTask = ({ kind }: Pick<TreeNode, 'kind'>): boolean => kind !== 'fork' && SHARING.has(kind)

export const hasTerminal = ({ runtime }: Pick<TreeNode, 'runtime'>): boolean => runtime === 'pane'
