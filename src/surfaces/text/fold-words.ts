import type { ToolResult } from '../../tools/types.ts'
import { shortDuration } from './duration.ts'
import type { Palette } from './palette.ts'
import { printableLine } from './printable.ts'
import type { Cell } from './table.ts'

type Base = ToolResult<'fold'>['bases'][number]
type Link = Base['links'][number]

/** Which bases the forge merges into by its own rules, and which are moved to what was checked. */
export function forgeNotes(bases: readonly Base[]): string[] {
  const there = bases.filter(({ lands_here: landsHere }) => !landsHere)
  if (there.length === 0) return ['What is merged lands as the commit that was checked here.']
  const into =
    there.length === bases.length
      ? ''
      : ` into ${there.map(({ base }) => printableLine(base)).join(', ')}`
  return [`The forge merges${into} by its own rules; this says what the sum comes to.`]
}

/** How a chain stands. */
export const FOLD_STATES: Readonly<Record<Base['state'], string>> = {
  idle: 'less than two to fold',
  waiting: 'waits for a place to be checked',
  testing: 'is being checked',
  searching: 'red: who makes it so is being looked for',
  green: 'green together',
  red: 'red together, and no few of them explain it',
}

/** How a link of it stands. */
export function linkCell({ state, landing }: Link, palette: Palette): Cell {
  if (landing !== null) return { text: landing, paint: palette.attention }
  switch (state) {
    case 'green':
      return { text: '✓ green', paint: palette.good }
    case 'testing':
      return { text: '● testing', paint: palette.attention }
    case 'red':
      return { text: '✗ red', paint: palette.bad }
    case 'conflict':
      return { text: 'conflict', paint: palette.bad }
    case 'untested':
      return { text: '·', paint: palette.dim }
  }
}

/** What is being checked, and how long that takes. */
export function testingWords({
  numbers,
  since_seconds: since,
  typical_seconds: typical,
}: Base['testing'][number]): string {
  const what = numbers.length === 0 ? 'the base' : numbers.map((number) => `#${number}`).join(' + ')
  const usual = typical === null ? '' : ` of about ${shortDuration(typical)}`
  return `● ${what}: ${shortDuration(since)}${usual}`
}

/** Who was taken out, and what it is red together with. */
export const ejectedWords = ({
  number,
  title,
  partner,
  others,
  age_seconds: age,
}: Base['ejected'][number]): string =>
  `#${number} ${printableLine(title)} is out for ${shortDuration(age)}: red ${
    partner === null
      ? 'by itself'
      : `together with ${[partner, ...others].map((one) => `#${one.number} ${printableLine(one.title)}`).join(' and ')}`
  }`
