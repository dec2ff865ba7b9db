import type { GithubClient } from '../client/client.ts'
import { PULL } from './pull.ts'

/**
 * Lines of the new side that a patch shows, each with the number of its hunk: only those can be
 * commented on, and a range only within one hunk.
 */
export function shownLines(patch: string): Map<number, number> {
  const lines = new Map<number, number>()
  let next = 0
  let hunk = 0
  for (const row of patch.split('\n')) {
    const start = /^@@ -\d+(?:,\d+)? \+(\d+)/.exec(row)?.[1]
    if (start !== undefined) {
      next = Number(start)
      hunk++
    } else if (row.startsWith('+') || row.startsWith(' ')) lines.set(next++, hunk)
  }
  return lines
}

/** Which lines of a pull request GitHub takes comments on: the hunk of each that it does. */
export async function commentableLines(
  client: Pick<GithubClient, 'pages'>,
  number: number,
): Promise<(path: string, line: number | null) => number | undefined> {
  const files = await client.pages<{ filename: string; patch?: string }>(`GET ${PULL}/files`, {
    pull_number: number,
  })
  const shown = new Map(files.map(({ filename, patch }) => [filename, shownLines(patch ?? '')]))
  return (path, line) => (line === null ? undefined : shown.get(path)?.get(line))
}
