import { forkName } from '../../domain/fork-name.ts'

const LONGEST = 30

/**
 * What a background task is called: the program and what it is asked to do, without folders and
 * options. `npm test -- --watch` is `npm-test`. May be another’s name.
 */
export function taskName(command: string): string {
  const words = command
    .split(/[\s;|&<>(){}"'`$]+/)
    .filter((word) => !word.startsWith('-') && !/^\w+=/.test(word))
    .map(slugOf)
    .filter((word) => word !== '')
  const [program = 'task', what] = words
  const both = what === undefined ? program : `${program}-${what}`
  return (both.length <= LONGEST ? both : program.slice(0, LONGEST)).replace(/-+$/, '')
}

/** Of a path its last part. */
const slugOf = (word: string): string =>
  word
    .slice(word.replace(/\/+$/, '').lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')

/** A session’s, from the first words of what it is to reach. May be another’s name. */
export const sessionName = (goal: string): string =>
  /[a-z0-9]/i.test(goal) ? forkName(goal, new Set()) : 'session'
