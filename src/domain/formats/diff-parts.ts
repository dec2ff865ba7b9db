import { changedFiles, diffLines } from './unified-diff.ts'

/** The part of a diff of git’s that is about one file; undefined where it does not change it. */
export function diffOfFile(diff: string, path: string): string | undefined {
  const index = changedFiles(diff).findIndex((file) => file.path === path)
  if (index === -1) return undefined
  const lines: string[] = []
  let at = -1
  for (const { kind, text } of diffLines(diff)) {
    if (kind === 'meta' && text.startsWith('diff --git ')) at++
    if (at > index) break
    if (at === index) lines.push(text)
  }
  return `${lines.join('\n')}\n`
}

/** Some lines of a diff; all of it as it is where none are asked for. */
export function diffPage(
  diff: string,
  {
    from_line: from,
    max_lines: most,
  }: { from_line?: number | undefined; max_lines?: number | undefined },
): { diff: string; total_lines?: number; next_line?: number | null } {
  if (from === undefined && most === undefined) return { diff }
  const lines = diff === '' ? [] : diff.replace(/\n$/, '').split('\n')
  const start = from ?? 0
  const end = most === undefined ? lines.length : Math.min(lines.length, start + most)
  const page = lines.slice(start, end)
  return {
    diff: page.length === 0 ? '' : `${page.join('\n')}\n`,
    total_lines: lines.length,
    next_line: end < lines.length ? end : null,
  }
}
