import type { PullRequestSnapshot } from '../adapters/forge/forge.ts'

/**
 * Whoever merged it did so on the forge, as far as that says: an agent's merge there bears the
 * token's account.
 */
export const isByForge = ({ mergedBy }: PullRequestSnapshot): boolean =>
  mergedBy === null || mergedBy.startsWith('forge:')

export type Facts = Readonly<{
  number: number
  title: string
  url: string
  head: string
  base: string
}>

export const factsOf = ({ number, title, url, head, base }: PullRequestSnapshot): Facts => ({
  number,
  title,
  url,
  head: head.branch,
  base: base.branch,
})
