import { ExomonadError } from '../../../domain/errors.ts'

/**
 * One word for tmux's command parser: inside double quotes only `\`, `"`, `$` and a leading `~`
 * mean something (tmux(1), PARSING SYNTAX). Control characters become octal escapes, so that a
 * command always is one line. Throws INVALID_ARG for NUL, which no argument can hold.
 */
export function quote(text: string): string {
  if (text.includes('\0'))
    throw new ExomonadError(
      'INVALID_ARG',
      'Text for a pane holds a NUL character. Remove it and try again.',
    )
  // eslint-disable-next-line no-control-regex -- control characters are what this is about
  const escaped = text
    .replace(/[\\"$~]/g, String.raw`\$&`)
    .replace(/[\u0001-\u001f\u007f]/g, (c) => `\\${c.charCodeAt(0).toString(8).padStart(3, '0')}`)
  return `"${escaped}"`
}

/** One tmux command from its words. */
export const command = (...words: readonly string[]): string => words.map(quote).join(' ')

/** Commands that tmux runs in a row without anything in between; an error skips the rest. */
export const sequence = (...commands: readonly string[]): string => commands.join(' ; ')

/**
 * Text that tmux expands as a format (names, folders), so that it comes out as it is: `##` is a
 * `#`, except that a run of `#` before `[` is kept as it stands.
 */
export const literal = (text: string): string =>
  text.replace(/#+(?!#)/g, (run, at: number) => (text[at + run.length] === '[' ? run : run + run))
