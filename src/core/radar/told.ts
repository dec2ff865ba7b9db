import type { Recipient } from '../../domain/ids.ts'
import type { Delivery } from '../../domain/records.ts'
import type { Verdict } from './judge.ts'
import type { Pair } from './pairs.ts'

/** What was told of a pair, as it is stored below `TOLD_PREFIX`. */
export interface Told extends Record<string, unknown> {
  /** Every file that was named since it was clean last: only further ones are news. */
  readonly files: readonly string[]
  /** Who it was about, for when they are gone. */
  readonly name: string
  readonly other: string
}

export const TOLD_PREFIX = 'radar-told:'

export type News =
  | { readonly kind: 'foretell'; readonly pair: Pair; readonly files: readonly string[] }
  | { readonly kind: 'clear'; readonly pair: Pair; readonly why: string }
  /** Nobody is there any more whom it could concern. */
  | { readonly kind: 'forget'; readonly id: string }

/**
 * What is to be told now, of pairs as they are judged and what was told before. `isLeftOut`: of
 * pairs of which others tell. What is unknown changes nothing.
 */
export function newsOf({
  pairs,
  verdicts,
  told,
  isLeftOut,
}: {
  readonly pairs: readonly Pair[]
  readonly verdicts: ReadonlyMap<string, Verdict>
  readonly told: ReadonlyMap<string, Told>
  readonly isLeftOut: (pair: Pair) => boolean
}): News[] {
  const there = new Set(pairs.map(({ id }) => id))
  const news: News[] = [...told.keys()]
    .filter((id) => !there.has(id))
    .map((id) => ({ kind: 'forget', id }))
  for (const pair of pairs) {
    const { status, files = [] } = verdicts.get(pair.id) ?? {}
    const before = told.get(pair.id)
    if (status === 'conflict' && !isLeftOut(pair)) {
      if (before === undefined || files.some((file) => !before.files.includes(file)))
        news.push({ kind: 'foretell', pair, files })
    } else if (status === 'clean' && before !== undefined)
      news.push({ kind: 'clear', pair, why: 'it merges again' })
  }
  return news
}

/** In all that was named of it so far. */
export const namedOf = (before: Told | undefined, files: readonly string[]): string[] =>
  [...new Set([...(before?.files ?? []), ...files])].toSorted()

/** By agent, with whom each was told to conflict. `told`: as it is stored, prefix included. */
export function conflictsTold(
  told: ReadonlyMap<string, unknown>,
  agents: ReadonlyMap<string, { readonly name: string }>,
): Map<string, string[]> {
  const found = new Map<string, string[]>()
  const add = (id: string, name: string): void => {
    found.set(id, [...(found.get(id) ?? []), name])
  }
  for (const [key, record] of told) {
    const { name, other } = record as Told
    const [a = '', b = ''] = key.slice(TOLD_PREFIX.length).split(':')
    add(a, agents.get(b)?.name ?? other)
    if (b !== 'base') add(b, agents.get(a)?.name ?? name)
  }
  return found
}

/** Those to whom the last news of it that reached them was that there is a conflict. */
export function believersOf(
  news: readonly Pick<Delivery, 'recipient' | 'eventSeq' | 'state' | 'kind'>[],
): Set<Recipient> {
  const last = new Map<Recipient, (typeof news)[number]>()
  for (const one of news) {
    const before = last.get(one.recipient)
    const isNewer = (one.eventSeq ?? 0) >= (before?.eventSeq ?? 0)
    if (one.state !== 'queued' && one.state !== 'withdrawn' && isNewer) last.set(one.recipient, one)
  }
  return new Set([...last].flatMap(([to, { kind }]) => (kind === 'conflict.foretold' ? to : [])))
}
