/**
 * Whether a glob of Gitea’s matches all of a text: `*` and `**` for anything, `?` for a character,
 * `[a-z]` and `[!a-z]` for one of a class, `{a,b}` for one of these, `\` before what is meant as it
 * stands. One that is broken matches nothing, as on Gitea.
 */
export function matchesGlob(glob: string, text: string): boolean {
  const pattern = patternOf(glob)
  return pattern !== null && pattern.test(text)
}

function patternOf(glob: string): RegExp | null {
  let pattern = ''
  let depth = 0
  for (let at = 0; at < glob.length; at++) {
    const char = glob[at] as string
    const klass = char === '[' ? /^\[(!?)([^\]]+)\]/.exec(glob.slice(at)) : null
    if (klass !== null) {
      pattern += `[${klass[1] === '!' ? '^' : ''}${(klass[2] ?? '').replaceAll(/[\\^\]]/g, String.raw`\$&`)}]`
      at += klass[0].length - 1
    } else if (char === '*') pattern += '.*'
    else if (char === '?') pattern += '.'
    else if (char === '{') {
      pattern += '(?:'
      depth += 1
    } else if (char === '}' && depth > 0) {
      pattern += ')'
      depth -= 1
    } else if (char === ',' && depth > 0) pattern += '|'
    else
      pattern += (char === '\\' ? (glob[++at] ?? '') : char).replaceAll(
        /[.+^$*?(){}|[\]\\]/g,
        String.raw`\$&`,
      )
  }
  try {
    return new RegExp(`^${pattern}$`, 's')
  } catch {
    return null
  }
}
