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

/** Words that change how hard it thinks, or what it does, anywhere in a prompt. */
const ULTRA = /\bultra(?=think\b|code\b)/gi
/** A line that is nothing but the path of a picture is read and attached when it is pasted. */
const PICTURE = /^(?=(?!│ ).*\.(?:png|jpe?g|gif|webp)["']?[^\S\n]*$)/gim

export const inertForClaude = (text: string): string =>
  inertText(breakBehind(text, ULTRA).replace(PICTURE, '│ '))

/** `@@`, as hunks of diffs begin, is a file called `@` for it, which it looks for everywhere. */
const ANY_AT = /@(?=[^ \t\r\n])/g

export const inertForGemini = (text: string): string => guardStart(breakBehind(text, ANY_AT))

/**
 * `$name` is a skill. Variables of shells are in capitals, arguments and prices are numbers: those
 * stay.
 */
const SKILL = /\$(?=[A-Za-z0-9_:-])(?!(?:[A-Z][A-Z0-9_]*|\d+)(?![\w:-]))/g

export const inertForCodex = (text: string): string => inertText(breakBehind(text, SKILL))
