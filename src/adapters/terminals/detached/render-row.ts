import type { IBufferCell, IBufferLine } from '@xterm/headless'

/**
 * One row of a screen from column `left` as text with SGR sequences (ECMA-48 8.3.117), trailing
 * blanks left out.
 */
export function renderRow(line: IBufferLine | undefined, left: number, columns: number): string {
  let text = ''
  let pending = ''
  let style = ''
  let cell: IBufferCell | undefined
  for (let column = left; column < left + columns; column += 1) {
    cell = line?.getCell(column, cell)
    if (cell === undefined) break
    const width = cell.getWidth()
    // The second half of a wide character, or a wide one that does not fit.
    if (width === 0) continue
    if (column + width > left + columns) break
    const wanted = styleOf(cell)
    const characters = cell.getChars() || ' '
    if (wanted !== style) {
      pending += `\u001B[0${wanted}m`
      style = wanted
    }
    pending += characters
    if (characters !== ' ' || wanted !== '') {
      text += pending
      pending = ''
    }
  }
  return text
}

function styleOf(cell: IBufferCell): string {
  if (cell.isAttributeDefault()) return ''
  const codes: (number | false)[] = [
    cell.isBold() !== 0 && 1,
    cell.isDim() !== 0 && 2,
    cell.isItalic() !== 0 && 3,
    cell.isUnderline() !== 0 && 4,
    cell.isBlink() !== 0 && 5,
    cell.isInverse() !== 0 && 7,
    cell.isInvisible() !== 0 && 8,
    cell.isStrikethrough() !== 0 && 9,
    cell.isOverline() !== 0 && 53,
  ]
  const colours = [
    colour(38, cell.isFgRGB(), cell.isFgPalette(), cell.getFgColor()),
    colour(48, cell.isBgRGB(), cell.isBgPalette(), cell.getBgColor()),
  ]
  return [...codes.filter((code) => code !== false), ...colours.filter((code) => code !== '')]
    .map((code) => `;${String(code)}`)
    .join('')
}

function colour(base: 38 | 48, isRgb: boolean, isPalette: boolean, value: number): string {
  if (isPalette) return `${String(base)};5;${String(value)}`
  return isRgb
    ? `${String(base)};2;${String((value >> 16) & 255)};${String((value >> 8) & 255)};${String(value & 255)}`
    : ''
}
