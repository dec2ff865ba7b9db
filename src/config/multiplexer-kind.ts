import { isDeepStrictEqual } from 'node:util'
import { parseToml } from '../domain/formats/parse-toml.ts'
import type { Config } from './schema.ts'
import { lineOfKey, linesOfKeys } from './toml-lines.ts'

type Kind = Config['multiplexer']['kind']

/** As `exomonad init` writes it where nothing has to be said: the place for it, as a comment. */
export const MULTIPLEXER_COMMENT = '# [multiplexer]\n# kind = "zellij"'

export const multiplexerLines = (kind: Kind): string => `[multiplexer]\nkind = "${kind}"`

/**
 * The same configuration with another `[multiplexer] kind`, comments and all else left as they are;
 * null where it is written in a way that only its author should change.
 */
export function withMultiplexerKind(text: string, kind: Kind): string | null {
  for (const changed of [
    replaced(text, kind),
    text.replace(MULTIPLEXER_COMMENT, multiplexerLines(kind)),
    appended(text, kind),
  ]) {
    if (changed !== null && saysOnly(text, changed, kind)) return changed
  }
  return null
}

function replaced(text: string, kind: Kind): string | null {
  const line = lineOfKey(linesOfKeys(text), ['multiplexer', 'kind'])
  if (line === null) return null
  const rows = text.split('\n')
  const row = rows[line - 1] ?? ''
  const value = /^(\s*(?:multiplexer\s*\.\s*)?kind\s*=\s*)(?:"[^"]*"|'[^']*')/
  if (value.test(row)) rows[line - 1] = row.replace(value, `$1"${kind}"`)
  else rows.splice(line, 0, `kind = "${kind}"`)
  return rows.join('\n')
}

const appended = (text: string, kind: Kind): string =>
  `${text === '' || text.endsWith('\n') ? text : `${text}\n`}${text === '' ? '' : '\n'}${multiplexerLines(kind)}\n`

/**
 * It parses, has this kind, and is otherwise what it was: a text can look like a table and be part
 * of a string.
 */
function saysOnly(before: string, after: string, kind: Kind): boolean {
  try {
    const [was, is] = [parseToml(before), parseToml(after)] as Record<string, unknown>[]
    if ((is?.['multiplexer'] as { kind?: unknown } | undefined)?.kind !== kind) return false
    return isDeepStrictEqual(
      { ...was, multiplexer: { ...(was?.['multiplexer'] as object | undefined), kind } },
      { ...is, multiplexer: { ...(is?.['multiplexer'] as object) } },
    )
  } catch {
    return false
  }
}
