import type { Cell } from '../../../src/surfaces/text/table.ts'
import type { Colour, Palette } from '../../../src/surfaces/text/palette.ts'

const COLOURS: readonly Colour[] = [
  ...(['bold', 'dim', 'good', 'bad', 'attention', 'active', 'link', 'special'] as const),
]
const TONES = new Map<unknown, Colour>()

/**
 * For the functions that the terminal’s tables are made with: what they paint a cell with names its
 * tone here.
 */
export const palette = Object.fromEntries(
  COLOURS.map((colour) => {
    const paint = (text: string) => text
    TONES.set(paint, colour)
    return [colour, paint]
  }),
) as unknown as Palette

export const toneOf = (cell: Cell): Colour | undefined =>
  typeof cell === 'string' ? undefined : TONES.get(cell.paint)

export const textOf = (cell: Cell): string => (typeof cell === 'string' ? cell : cell.text)

/** A cell of the terminal’s tables. */
export function CellText({ cell, chip = false }: { readonly cell: Cell; readonly chip?: boolean }) {
  const text = textOf(cell)
  const tone = toneOf(cell)
  if (text === '') return null
  return (
    <span className={`${chip ? 'chip ' : ''}${tone === undefined ? '' : `tone-${tone}`}`}>
      {text}
    </span>
  )
}
