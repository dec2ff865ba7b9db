import { requireFreeWord, slugify } from './formats/slug.ts'

/** Of a prompt’s words, as many as make a name that can be typed. */
const WORDS = 4
const LENGTH = 30

/**
 * What a fork is called that nobody named: the first words of its prompt, or `fork-N` where there
 * are none. `taken`: names and branches of living agents, by which it would be mistaken for
 * another.
 */
export function forkName(prompt: string | undefined, taken: ReadonlySet<string>): string {
  const words = (prompt ?? '').toLowerCase().match(/[a-z0-9]+/g) ?? []
  let name = ''
  for (const word of words.slice(0, WORDS)) {
    const longer = name === '' ? word.slice(0, LENGTH) : `${name}-${word}`
    if (longer.length > LENGTH) break
    name = longer
  }
  if (name !== '') return unusedName(name, taken)
  for (let number = 1; ; number++) if (!taken.has(`fork-${number}`)) return `fork-${number}`
}

/**
 * The name as a slug, with a number behind it where another agent has it. INVALID_ARG where nothing
 * of it is left.
 */
export function unusedName(name: string, taken: ReadonlySet<string>): string {
  const slug = requireFreeWord(slugify(name), name)
  if (!taken.has(slug)) return slug
  for (let number = 2; ; number++) if (!taken.has(`${slug}-${number}`)) return `${slug}-${number}`
}
