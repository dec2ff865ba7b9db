import type { ToolResult } from '../../../tools/types.ts'
import { shortDuration } from '../../text/duration.ts'
import {
  ejectedWords,
  FOLD_STATES,
  forgeNotes,
  linkCell,
  testingWords,
} from '../../text/fold-words.ts'
import type { Palette } from '../../text/palette.ts'
import { printableLine } from '../../text/printable.ts'
import { renderTable } from '../../text/table.ts'

type Base = ToolResult<'fold'>['bases'][number]

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
    linkCell(link, palette),
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
    `${palette.bold(printableLine(base.base))}${palette.dim(onto)}: ${FOLD_STATES[base.state]}, for ${shortDuration(base.age_seconds)}`,
    ...(rows.length === 0 ? [] : renderTable(columns, rows, options)),
    ...base.testing.map((one) => palette.attention(testingWords(one))),
    ...base.ejected.map((one) => `${palette.bad('✗')} ${ejectedWords(one)}`),
  ]
}
