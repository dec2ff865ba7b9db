import { nearestKey } from '../../../../config/nearest-key.ts'
import { printableLine } from '../../../text/printable.ts'
import { waitArguments } from '../../mail/wait-arguments.ts'
import { ALIASES, COMMANDS, isCommand, type CommandName } from './commands.ts'

/** What a person wants with a line. */
export type ConsoleLine =
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'fork'; readonly name?: string; readonly context: 'inherit' | 'fresh' }
  | { readonly kind: 'kill' | 'attach' | 'radar' | 'fold'; readonly agent?: string }
  /** One pair, as the radar names the two. */
  | { readonly kind: 'radar-pair'; readonly a: string; readonly b: string }
  | { readonly kind: 'send'; readonly agent: string; readonly message: string }
  /** Seconds. */
  | { readonly kind: 'wait'; readonly timeout: number; readonly agents: readonly string[] }
  | { readonly kind: 'pr' | 'diff' | 'merge'; readonly number?: number }
  /** `id`: its number in the inbox, or the beginning of its id. */
  | { readonly kind: 'answer'; readonly id?: string; readonly text: string }
  | { readonly kind: 'approve' | 'deny'; readonly id?: string; readonly reason?: string }
  | { readonly kind: 'inbox'; readonly clear: boolean }
  | { readonly kind: 'go'; readonly agent: string }
  | {
      readonly kind:
        | 'capture'
        | 'cancel'
        | 'reap'
        | 'tree'
        | 'previous'
        | 'next'
        | 'parent'
        | 'child'
        | 'help'
        | 'quit'
    }
  | { readonly kind: 'error'; readonly message: string }

const LONGEST_WAIT = 86_400

/**
 * Reads a line. `/word …` is a command, `//…` text that begins with a slash, all else text for the
 * viewed agent. Blank lines are errors.
 */
export function parseLine(line: string): ConsoleLine {
  if (line.trim() === '') return { kind: 'error', message: 'Nothing is written.' }
  if (!line.startsWith('/')) return { kind: 'say', text: line }
  if (line.startsWith('//')) return { kind: 'say', text: line.slice(1) }
  const [word, rest] = firstWord(line.slice(1))
  const name = ALIASES[word.toLowerCase()] ?? word.toLowerCase()
  return isCommand(name) ? parseCommand(name, rest) : { kind: 'error', message: unknown(word) }
}

function parseCommand(name: CommandName, rest: string): ConsoleLine {
  const words = rest.split(/\s+/).filter((word) => word !== '')
  switch (name) {
    case 'fork':
      return parseFork(words)
    case 'kill':
    case 'attach':
    case 'radar':
    case 'fold':
      return words.length > 1
        ? misused(name)
        : { kind: name, ...(words[0] === undefined ? {} : { agent: words[0] }) }
    case 'go':
      return words[0] === undefined || words.length > 1
        ? misused(name)
        : { kind: 'go', agent: words[0] }
    case 'send': {
      const [agent, message] = firstWord(rest)
      return agent === '' || message.trim() === ''
        ? misused(name)
        : { kind: 'send', agent, message }
    }
    case 'wait':
      return parseWait(words)
    case 'pr':
    case 'diff':
    case 'merge':
      return parsePull(name, words)
    case 'answer':
      return parseAnswer(rest)
    case 'approve':
    case 'deny': {
      const [id, reason] = numbered(rest)
      return {
        kind: name,
        ...(id === undefined ? {} : { id }),
        ...(reason === '' ? {} : { reason }),
      }
    }
    case 'inbox':
      if (words.length > 1 || (words.length === 1 && words[0] !== 'clear')) return misused(name)
      return { kind: 'inbox', clear: words.length === 1 }
    case 'prev':
      return words.length > 0 ? misused(name) : { kind: 'previous' }
    case 'capture':
    case 'cancel':
    case 'reap':
    case 'tree':
    case 'next':
    case 'parent':
    case 'child':
    case 'help':
    case 'quit':
      return words.length > 0 ? misused(name) : { kind: name }
  }
}

function parseFork(words: readonly string[]): ConsoleLine {
  const isFresh = words.length > 0 && words.at(-1) === 'fresh'
  const names = isFresh ? words.slice(0, -1) : words
  if (names.length > 1)
    return {
      kind: 'error',
      message:
        '/fork takes a name only. Write the task after /capture, or write to the child once it is there.',
    }
  return {
    kind: 'fork',
    ...(names[0] === undefined ? {} : { name: names[0] }),
    context: isFresh ? 'fresh' : 'inherit',
  }
}

function parseWait(words: readonly string[]): ConsoleLine {
  const { timeout, agents } = waitArguments(words)
  if (timeout > LONGEST_WAIT)
    return { kind: 'error', message: 'A day is the longest wait: /wait 24h' }
  return { kind: 'wait', timeout: Math.ceil(timeout), agents }
}

function parsePull(kind: 'pr' | 'diff' | 'merge', words: readonly string[]): ConsoleLine {
  const [word] = words
  if (word === undefined) return { kind }
  return words.length === 1 && /^#?\d{1,9}$/.test(word)
    ? { kind, number: Number(word.replace('#', '')) }
    : misused(kind)
}

function parseAnswer(rest: string): ConsoleLine {
  const [id, text] = numbered(rest)
  if (id !== undefined && text !== '') return { kind: 'answer', id, text }
  return rest.trim() === '' ? misused('answer') : { kind: 'answer', text: rest.trim() }
}

/** Text with a number, `#number` or id in front. */
function numbered(rest: string): [id: string | undefined, text: string] {
  const [word, text] = firstWord(rest)
  return /^#?\d{1,6}$/.test(word) || /^[a-z]-[0-9a-f]{4,}$/.test(word)
    ? [word.replace('#', ''), text.trim()]
    : [undefined, rest.trim()]
}

/** The first word, and what stands behind the blank after it. */
function firstWord(text: string): [word: string, rest: string] {
  const [, word = '', rest = ''] = /^\s*(\S*)(?:\s([\s\S]*))?$/.exec(text) ?? []
  return [word, rest]
}

const misused = (name: CommandName): ConsoleLine => {
  const usage = COMMANDS.find((command) => command.name === name)?.usage ?? ''
  return {
    kind: 'error',
    message: usage === '' ? `/${name} takes nothing further.` : `Write /${name} ${usage}`,
  }
}

function unknown(word: string): string {
  const nearest = nearestKey(word, [...COMMANDS.map(({ name }) => name), ...Object.keys(ALIASES)])
  const meant = nearest === undefined ? '' : ` Did you mean /${nearest}?`
  return `There is no /${printableLine(word)}.${meant} /help shows the commands; //… sends text that begins with a slash.`
}
