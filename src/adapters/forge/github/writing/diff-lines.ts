import type { CommentPlace } from '../../../../domain/formats/line-range.ts'
import type { GithubClient } from '../client/client.ts'
import { PULL } from './pull.ts'

/** Numbers of the lines of each side that a patch shows, each with the number of its hunk. */
export interface ShownLines {
  readonly left: ReadonlyMap<number, number>
  readonly right: ReadonlyMap<number, number>
}

/** Only those can be commented on, and a range only within one hunk. */
export function shownLines(patch: string): ShownLines {
  const left = new Map<number, number>()
  const right = new Map<number, number>()
  let old = 0
  let next = 0
  let hunk = 0
  for (const row of patch.split('\n')) {
    const start = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(row)
    if (start !== null) {
      old = Number(start[1])
      next = Number(start[2])
      hunk++
      continue
    }
    if (row.startsWith('-') || row.startsWith(' ')) left.set(old++, hunk)
    if (row.startsWith('+') || row.startsWith(' ')) right.set(next++, hunk)
  }
  return { left, right }
}

/** Which lines of a pull request GitHub takes comments on: the hunk of each that it does. */
export async function commentableLines(
  client: Pick<GithubClient, 'pages'>,
  number: number,
): Promise<(of: Pick<CommentPlace, 'path' | 'side'>, line: number | null) => number | undefined> {
  const files = await client.pages<{ filename: string; patch?: string }>(`GET ${PULL}/files`, {
    pull_number: number,
  })
  const shown = new Map(files.map(({ filename, patch }) => [filename, shownLines(patch ?? '')]))
  return ({ path, side = 'right' }, line) =>
    line === null ? undefined : shown.get(path)?.[side].get(line)
}
