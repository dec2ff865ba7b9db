import { ALIASES, COMMANDS, isCommand } from '../input/commands.ts'

/**
 * What is written in the overview’s line. `/word …` is a command where there is one of that name,
 * as is all behind a colon; all else filters, as does all behind `/ `.
 */
export function commandIn(text: string): string | null {
  if (text.startsWith(':')) return `/${text.slice(1)}`
  const word = wordOf(text)
  return isCommand(ALIASES[word] ?? word) ? text : null
}

/** What it filters by; empty for a command. */
export const filterIn = (text: string): string =>
  commandIn(text) === null ? text.replace(/^\//, '').trim().toLowerCase() : ''

/** The same while it is written: null as long as it could become a command. */
export function liveFilter(text: string): string | null {
  if (commandIn(text) !== null) return null
  const word = wordOf(text)
  const isBegun =
    !/\s/.test(text) &&
    [...COMMANDS.map(({ name }) => name as string), ...Object.keys(ALIASES)].some((name) =>
      name.startsWith(word),
    )
  return isBegun ? null : filterIn(text)
}

const wordOf = (text: string): string => /^\/(\S*)/.exec(text)?.[1]?.toLowerCase() ?? ''
