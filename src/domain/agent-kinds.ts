/**
 * Kinds of agents that work in another’s worktree, on its branch: neither says anything about them.
 */
const BESIDE: ReadonlySet<string> = new Set(['fork', 'llm', 'process', 'delegate', 'spawn'])

/**
 * Its branch and worktree are its caller’s: it is not known by them, and what becomes of them is
 * not its doing.
 */
export const sharesBranch = ({ kind }: { readonly kind: string }): boolean => BESIDE.has(kind)
