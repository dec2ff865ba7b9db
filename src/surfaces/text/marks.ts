import type { Palette } from './palette.ts'
import { printableLine } from './printable.ts'

/** Lines that results of all kinds have in common. */

export const warningLines = (warnings: readonly string[], palette: Palette): string[] =>
  warnings.map((warning) => `${palette.attention('!')} ${printableLine(warning)}`)

/** Of what was to be done for several, each that failed. */
export const errorLines = (
  errors: readonly { readonly name: string; readonly error: string; readonly code: string }[],
  palette: Palette,
): string[] =>
  errors.map(
    ({ name, error, code }) =>
      `${palette.bad('✗')} ${printableLine(name)}: ${printableLine(error)} ${palette.dim(`(${code})`)}`,
  )
