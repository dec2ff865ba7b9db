import type { GithubClient } from '../client/client.ts'
import { PULL } from './pull.ts'

/** Lines of the new side that a patch shows: only those can be commented on. */
export function shownLines(patch: string): Set<number> {
  const lines = new Set<number>()
  let next = 0
  for (const row of patch.split('\n')) {
    const start = /^@@ -\d+(?:,\d+)? \+(\d+)/.exec(row)?.[1]
    if (start !== undefined) next = Number(start)
    else if (row.startsWith('+') || row.startsWith(' ')) lines.add(next++)
  }
  return lines
}

/** Which lines of a pull request GitHub takes comments on. */
export async function commentableLines(
  client: Pick<GithubClient, 'pages'>,
  number: number,
): Promise<(path: string, line: number) => boolean> {
  const files = await client.pages<{ filename: string; patch?: string }>(`GET ${PULL}/files`, {
    pull_number: number,
  })
  const shown = new Map(files.map(({ filename, patch }) => [filename, shownLines(patch ?? '')]))
  return (path, line) => shown.get(path)?.has(line) ?? false
}
