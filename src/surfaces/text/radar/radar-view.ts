import type { RadarDetail, RadarPair, RadarSide } from '../../../core/radar/radar-use-cases.ts'
import type { Palette } from '../palette.ts'
import { printableLine } from '../printable.ts'
import { plural } from '../quantity.ts'
import { CHANGES, radarGrid, radarGroups } from './radar-grid.ts'
import { renderTable, type Cell } from '../table.ts'
import { displayWidth } from '../width.ts'

type Look = { readonly width: number; readonly palette: Palette }
type MatrixLook = Look & { readonly selected?: Pick<RadarPair, 'a' | 'b'> | undefined }

const signOf = (pair: RadarPair | undefined, palette: Palette): Cell => {
  if (pair === undefined) return { text: '' }
  if (pair.status === 'clean') return { text: '✓', paint: palette.good }
  if (pair.status === 'unknown') return { text: '?', paint: palette.dim }
  return { text: `⚠ ${plural(pair.files.length, 'file')}`, paint: palette.attention }
}

/** What is selected stands in brackets. */
const cellOf = (
  pair: RadarPair | undefined,
  { palette, selected }: MatrixLook,
  isShort: boolean,
): Cell => {
  const cell = signOf(pair, palette)
  const text = isShort ? (cell.text.split(' ')[0] ?? '') : cell.text
  const isSelected = pair !== undefined && pair.a === selected?.a && pair.b === selected.b
  return { ...cell, text: isSelected ? `[${text}]` : text }
}

/** Where the names have no room above the columns, numbers stand for them. */
function matrix(pairs: readonly RadarPair[], look: MatrixLook): string[] {
  const { rows, columns, pairOf } = radarGrid(pairs)
  const table = (isShort: boolean): string[] => {
    const numbered = (name: string): string =>
      isShort && columns.includes(name)
        ? `${columns.indexOf(name) + 1} ${printableLine(name)}`
        : printableLine(name)
    return renderTable(
      [
        { title: '' },
        ...columns.map((name, index) => ({
          title: isShort && rows.includes(name) ? String(index + 1) : printableLine(name),
        })),
      ],
      rows.map((a) => [numbered(a), ...columns.map((b) => cellOf(pairOf(a, b), look, isShort))]),
      look,
    )
  }
  const whole = table(false)
  return whole.every((row) => displayWidth(row) <= look.width) ? whole : table(true)
}

/** Who × who, a table for those of each parent. */
export const radarTables = (pairs: readonly RadarPair[], look: MatrixLook): string[] =>
  radarGroups(pairs).flatMap((group, index) => [
    ...(index === 0 ? [] : ['']),
    ...matrix(group, look),
  ])

/** Who × who, and below it the files. */
export function radarMatrix(pairs: readonly RadarPair[], look: Look): string[] {
  const { palette } = look
  if (pairs.length === 0) return ['No agent has work of its own to compare.']
  const lines = radarTables(pairs, look)
  const conflicts = pairs.filter(({ status }) => status === 'conflict')
  const unknown = pairs.find(({ status }) => status === 'unknown')
  return [
    ...lines,
    ...(conflicts.length === 0 ? [] : ['']),
    ...conflicts.map(
      ({ a, b, files }) =>
        `${palette.attention('⚠')} ${printableLine(a)} × ${printableLine(b)}: ${files.map(printableLine).join(', ')}`,
    ),
    ...(conflicts[0] === undefined
      ? []
      : [palette.dim(`  both sides: exomonad radar ${conflicts[0].a} ${conflicts[0].b}`)]),
    ...(unknown === undefined
      ? []
      : [palette.dim(`? why: exomonad radar ${unknown.a} ${unknown.b}`)]),
  ]
}

function sideLines(name: string, side: RadarSide, palette: Palette): string[] {
  const to = side.new_path === null ? '' : ` to ${printableLine(side.new_path)}`
  const binary = side.binary ? ' (binary)' : ''
  return [
    `  ${palette.bold(printableLine(name))} ${CHANGES[side.change]}${to}${binary}`,
    ...side.hunks.flatMap(({ base, own, text }) => [
      `    ${palette.link(`@@ -${base.join(',')} +${own.join(',')} @@`)}`,
      ...text.map((line) => {
        const shown = `    ${printableLine(line)}`
        return line.startsWith('+') ? palette.good(shown) : palette.bad(shown)
      }),
    ]),
  ]
}

/** One pair: what both did to each file in which they conflict. */
export function radarDetail(pair: RadarDetail, { palette }: Pick<Look, 'palette'>): string[] {
  const [a, b] = [printableLine(pair.a), printableLine(pair.b)]
  const skipped = [
    ...pair.skipped.a.map((path) => `${a}: ${printableLine(path)}`),
    ...pair.skipped.b.map((path) => `${b}: ${printableLine(path)}`),
  ]
  const heading = {
    clean: `${palette.good('✓')} ${a} and ${b} merge as they are now.`,
    unknown: `? Whether ${a} and ${b} merge is not known: ${printableLine(pair.why ?? '')}.`,
    conflict: `${palette.attention('⚠')} ${a} and ${b} conflict in ${plural(pair.files.length, 'file')}.`,
  }[pair.status]
  return [
    heading,
    ...pair.files.flatMap((file) => [
      '',
      `${printableLine(file.path)}${file.first === null ? '' : palette.dim(` first touched by ${printableLine(file.first)}`)}`,
      ...sideLines(pair.a, file.a, palette),
      ...sideLines(pair.b, file.b, palette),
    ]),
    ...(skipped.length === 0 ? [] : ['', 'Over 50 MB, not looked at:', ...skipped]),
  ]
}
