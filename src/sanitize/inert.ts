/**
 * Text made inert: nothing in it means anything to the program that reads it. Each agent CLI names
 * the marks that it looks at (`AgentCli.inert`); what is done about them is the same for all.
 * Idempotent. Pure.
 */

/**
 * A space behind a mark is readable, keeps the name findable and is understood by none of them; a
 * backslash means something different to each.
 */
export const breakBehind = (text: string, mark: RegExp): string =>
  text.replace(mark, (found) => `${found} `)

/**
 * The fence of lines of others, in front of what would be a command: all of them look at the very
 * first character alone.
 */
export const guardStart = (text: string): string => text.replace(/^(?=\s*[/!#&?])/, '│ ')

/** Any `@` with something behind it that could be a name: of spaces only the plain ones end it. */
const AT = /@(?=[^ \t\r\n@])/g

/**
 * For programs that put a file, an agent or a resource in the place of `@name`, wherever it stands,
 * and take a first `/`, `!`, `#`, `&` or `?` for a command.
 */
export const inertText = (text: string): string => guardStart(breakBehind(text, AT))

const ANY_AT = /@(?=[^ \t\r\n])/g

/**
 * The same for programs to which `@@`, as hunks of diffs begin, is a file called `@`, which they
 * look for everywhere.
 */
export const inertEveryAt = (text: string): string => guardStart(breakBehind(text, ANY_AT))
