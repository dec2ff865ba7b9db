/** Whether a pattern names more than one path. */
export const isGlob = (pattern: string): boolean => /[*?[\]\\]/.test(pattern)

/**
 * Whether a folder is all of it meant by a pattern, as git reads patterns of paths: `*` stays
 * within a folder, `**` does not, and the name of a folder stands for all that is in it. `folder`:
 * relative, without a `/` at its end.
 */
export function coversFolder(pattern: string, folder: string): boolean {
  const matches = expressionOf(pattern.replace(/\/$/, ''))
  const parts = folder.split('/')
  return parts.some((_, index) => {
    const path = parts.slice(0, index + 1).join('/')
    return matches.test(path) || matches.test(`${path}/`)
  })
}

/** A pattern that means this path alone. */
export const escapeGlob = (path: string): string => path.replaceAll(/[\\*?[\]]/g, String.raw`\$&`)

/** Whether a pattern may mean something inside of a folder. */
export function mayReachInto(pattern: string, folder: string): boolean {
  const wanted = pattern.replace(/^\//, '').split('/')
  for (const [index, part] of folder.split('/').entries()) {
    const here = wanted[index]
    if (here === '**') return true
    if (here === undefined || !expressionOf(here).test(part)) return false
  }
  return wanted.length > folder.split('/').length
}

function expressionOf(pattern: string): RegExp {
  let text = ''
  for (let at = 0; at < pattern.length; at++) {
    const rest = pattern.slice(at)
    const set = /^\[([!^]?)(\]?[^\]]*)\]/.exec(rest)
    if (rest.startsWith('**/') && (at === 0 || pattern[at - 1] === '/')) {
      text += '(?:.*/)?'
      at += 2
    } else if (rest === '**' && (at === 0 || pattern[at - 1] === '/')) {
      text += '.*'
      at += 1
    } else if (rest.startsWith('*')) text += '[^/]*'
    else if (rest.startsWith('?')) text += '[^/]'
    else if (set !== null) {
      text += `[${set[1] === '' ? '' : '^/'}${(set[2] ?? '').replaceAll(/[\\\]]/g, String.raw`\$&`)}]`
      at += set[0].length - 1
    } else if (rest.startsWith('\\') && rest.length > 1) {
      text += literal(rest[1] ?? '')
      at += 1
    } else text += literal(rest[0] ?? '')
  }
  return new RegExp(`^${text}$`, 's')
}

const literal = (character: string): string =>
  character.replace(/[\\^$.*+?()[\]{}|/]/, String.raw`\$&`)
