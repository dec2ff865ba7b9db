/** Added lines of a unified diff: `{path, line, text}`, with the line's number in the new file. */
export function addedLines(diff) {
  const added = []
  let path = ''
  let line = 0
  let inHunk = false
  for (const row of diff.split('\n')) {
    const hunk = /^@@ -\d+(?:,\d+)? \+(\d+)/.exec(row)
    if (row.startsWith('diff --git ')) inHunk = false
    else if (hunk) {
      line = Number(hunk[1])
      inHunk = true
    } else if (!inHunk) path = /^\+\+\+ (?:b\/)?(.*)$/.exec(row)?.[1] ?? path
    else if (row.startsWith('+')) added.push({ path, line: line++, text: row.slice(1) })
    else if (row.startsWith(' ')) line++
  }
  return added
}

/**
 * What a reviewer with these rules says of a diff: `{path, line, body}` for each added line of
 * source that one matches.
 */
export function findings(diff, rules) {
  return addedLines(diff)
    .filter(({ path }) => /(^|\/)src\//.test(path))
    .flatMap(({ path, line, text }) =>
      rules
        .filter(({ when }) => new RegExp(when).test(text))
        .map(({ comment }) => ({ path, line, body: comment })),
    )
}
