import type { ToolResult } from '../../../tools/types.ts'
import { shortDuration } from '../../text/duration.ts'
import type { Palette } from '../../text/palette.ts'
import { printableLine } from '../../text/printable.ts'
import { renderTable, type Cell } from '../../text/table.ts'

type Base = ToolResult<'fold'>['bases'][number]
type Link = Base['links'][number]

/** The chain of each base, as people read it. */
export function foldLines(
  { enabled, reason, paused, land, forge_lands: forgeLands, bases }: ToolResult<'fold'>,
  options: { readonly width: number; readonly palette: Palette },
): string[] {
  const { palette } = options
  const head = enabled
    ? paused === null
      ? []
      : [
          `${palette.attention('!')} Paused for ${shortDuration(paused.since_seconds)}: nothing is checked ahead. \`exomonad fold resume\` goes on.`,
        ]
    : [`${palette.attention('!')} Nothing is folded: ${printableLine(reason ?? '')}`]
  if (bases.length === 0) return [...head, ...(head.length > 0 ? [] : ['Nothing is open'])]
  const notes = [
    ...(land === 'auto' ? ['What is approved and green lands by itself.'] : []),
    ...(forgeLands ? forgeNotes(bases) : []),
  ]
  const ends = notes.length === 0 ? [] : ['', ...notes.map((note) => palette.dim(note))]
  return [
    ...head,
    ...bases.flatMap((base, at) => [
      ...(at === 0 && head.length === 0 ? [] : ['']),
      ...baseLines(base, options),
    ]),
    ...ends,
  ]
}

/** Which bases the forge merges into by its own rules, and which are moved to what was checked. */
function forgeNotes(bases: readonly Base[]): string[] {
  const there = bases.filter(({ lands_here: landsHere }) => !landsHere)
  if (there.length === 0) return ['What is merged lands as the commit that was checked here.']
  const into =
    there.length === bases.length
      ? ''
      : ` into ${there.map(({ base }) => printableLine(base)).join(', ')}`
  return [`The forge merges${into} by its own rules; this says what the sum comes to.`]
}

const STATES: Readonly<Record<Base['state'], string>> = {
  idle: 'less than two to fold',
  waiting: 'waits for a place to be checked',
  testing: 'is being checked',
  searching: 'red: who makes it so is being looked for',
  green: 'green together',
  red: 'red together, and no few of them explain it',
}

function baseLines(
  base: Base,
  options: { readonly width: number; readonly palette: Palette },
): string[] {
  const { palette } = options
  const onto = base.onto === null ? '' : ` at ${base.onto.slice(0, 8)}`
  const rows = base.links.map((link) => [
    { text: link.number < 0 ? '–' : `#${link.number}`, paint: palette.link },
    printableLine(link.title),
    printableLine(link.agent ?? ''),
    stateCell(link, palette),
    { text: link.sha?.slice(0, 8) ?? '', paint: palette.dim },
    shortDuration(link.age_seconds),
  ])
  const columns = [
    { title: 'PR' },
    { title: 'TITLE', min: 12 },
    { title: 'AGENT', min: 8 },
    { title: 'LINK' },
    { title: 'COMMIT', isWhole: true },
    { title: 'AGE' },
  ]
  return [
    `${palette.bold(printableLine(base.base))}${palette.dim(onto)}: ${STATES[base.state]}, for ${shortDuration(base.age_seconds)}`,
    ...(rows.length === 0 ? [] : renderTable(columns, rows, options)),
    ...base.testing.map((one) => palette.attention(testingWords(one))),
    ...base.ejected.map((one) => `${palette.bad('✗')} ${ejectedWords(one)}`),
  ]
}

function stateCell({ state, landing }: Link, palette: Palette): Cell {
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

function testingWords({
  numbers,
  since_seconds: since,
  typical_seconds: typical,
}: Base['testing'][number]): string {
  const what = numbers.length === 0 ? 'the base' : numbers.map((number) => `#${number}`).join(' + ')
  const usual = typical === null ? '' : ` of about ${shortDuration(typical)}`
  return `● ${what}: ${shortDuration(since)}${usual}`
}

const ejectedWords = ({
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
