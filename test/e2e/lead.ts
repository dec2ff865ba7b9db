import type { Brain, Entry, Step } from '../fixtures/model-server/script.ts'

/** Programs pass results on as JSON, or as JSON in JSON. */
const results = (entries: readonly Entry[], key: string): number =>
  entries.filter(
    (entry) => entry.role === 'tool' && new RegExp(`\\b${key}\\\\?":`).test(entry.text),
  ).length

/**
 * A tech lead: spawns as planned, merges every pull request that is reported as ready, in that
 * order, and when `expected` are merged takes the last steps. All of it is read off the
 * conversation: programs ask beside their turns, and ask again.
 */
export function lead(spawns: readonly Step[], expected: number, last: readonly Step[] = []): Brain {
  return (entries) => {
    const spawn = spawns[results(entries, 'worktree')]
    if (spawn !== undefined) return spawn
    const merged = results(entries, 'merged')
    if (merged >= expected) return last[results(entries, 'pr_number')] ?? { say: 'I wait.' }
    const said = entries.filter((entry) => entry.role !== 'assistant').map((entry) => entry.text)
    const ready = [
      ...new Set(
        said.flatMap((text) =>
          [...text.matchAll(/\[PR READY\][^#]*#(\d+)/g)].map((match) => Number(match[1])),
        ),
      ),
    ]
    const next = ready[merged]
    // After a refusal another message has to come first.
    const refused = /\bcode\\?":/.test(entries.at(-1)?.text ?? '')
    return next === undefined || refused
      ? { say: 'I wait.' }
      : { call: 'merge_pr', input: { pr_number: next } }
  }
}
