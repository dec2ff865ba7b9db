/** Colours by what they mean. Without colour every function gives its text back. */
export type Palette = Readonly<Record<Colour, (text: string) => string>>
export type Colour = keyof typeof CODES

const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  good: [32, 39],
  bad: [31, 39],
  attention: [33, 39],
  active: [36, 39],
  link: [34, 39],
  special: [35, 39],
} as const

const paint =
  ([open, close]: readonly [number, number]) =>
  (text: string): string =>
    text === '' ? '' : `\u001b[${open}m${text}\u001b[${close}m`

const plain = (text: string): string => text

export function createPalette(color: boolean): Palette {
  return Object.fromEntries(
    Object.entries(CODES).map(([name, codes]) => [name, color ? paint(codes) : plain]),
  ) as Palette
}
